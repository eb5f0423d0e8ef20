import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import { ImmediateBody } from "../ports/ImmediateBody.ts"
import { Principal } from "./Principal.ts"

/** Who runs a command, and by which clock. */
export interface Caller {
  /** The actor in the stock ledger. */
  readonly actor: string
  readonly clock: Clock.Clock
}

/** Makes the body of a command, which runs for its caller. To look the caller up again takes about as long as a row. */
export const forCaller = <A, E, R>(body: (caller: Caller) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  new ImmediateBody((context) =>
    body({ actor: Context.get(context, Principal).actor, clock: Context.get(context, Clock.Clock) })
  )
