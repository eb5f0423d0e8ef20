import * as Effect from "effect/Effect"

/** Runs an effect for each number from 0 on, all of them at the same time. */
export const atOnce = <A, E, R>(count: number, run: (index: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    run,
    { concurrency: "unbounded" }
  )

/** The numbers from 1 on. */
export const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

/** Runs each of the reads again and again beside what writes, until that has ended. */
export const readBeside = <E, R>(
  write: Effect.Effect<unknown, E, R>,
  ...reads: ReadonlyArray<Effect.Effect<unknown, E, R>>
): Effect.Effect<void, E, R> =>
  Effect.suspend(() => {
    let isOver = false
    const end = Effect.sync(() => {
      isOver = true
    })
    const repeated = reads.map((read) =>
      Effect.whileLoop({ while: () => !isOver, body: () => Effect.andThen(read, Effect.yieldNow), step: () => {} })
    )
    return Effect.all([Effect.ensuring(write, end), ...repeated], { concurrency: "unbounded", discard: true })
  })
