import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

/** How the streams of a server run effects: in the background, with a function that receives the outcome. */
export type RunEffect = <A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void) => void
