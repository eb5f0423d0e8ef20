import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import { ImmediateBody } from "../ports/ImmediateBody.ts"
import { Principal, type PrincipalInfo } from "./Principal.ts"

/** Who runs a command, and by which clock. */
export interface Caller {
  /** The actor in the stock ledger. */
  readonly actor: string
  readonly principal: PrincipalInfo
  readonly clock: Clock.Clock
}

/** Makes the body of a command, which runs for its caller. To look the caller up again takes about as long as a row. */
export const forCaller = <A, E, R>(body: (caller: Caller) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  new ImmediateBody((context) => {
    const principal = Context.get(context, Principal)
    return body({ actor: principal.actor, principal, clock: Context.get(context, Clock.Clock) })
  })
