import * as Effect from "effect/Effect"

/** Runs an effect for each number from 0 on, all of them at the same time. */
export const atOnce = <A, E, R>(count: number, run: (index: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    run,
    { concurrency: "unbounded" }
  )
