import { Scope, Unauthenticated } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Exchange } from "../Exchange.ts"
import type { HandlerOptions } from "../Options.ts"
import type { Caller } from "./Authenticator.ts"
import type { HostPrincipal } from "./HostPrincipal.ts"

const areScopes = Schema.is(Schema.Array(Scope))

const hasFields = (said: unknown): said is object => typeof said === "object" && said !== null

const isPrincipal = ({ accountId = 0, actor, scopes }: HostPrincipal): boolean =>
  typeof actor === "string" &&
  actor.length >= 1 &&
  actor.length <= 200 &&
  Number.isSafeInteger(accountId) &&
  accountId >= 0 &&
  areScopes(scopes)

const callerOf = (principal: HostPrincipal | null | undefined): Effect.Effect<Caller, Unauthenticated> => {
  if (principal === undefined || principal === null)
    return Effect.fail(new Unauthenticated({}, { message: "Sign in first." }))
  if (!hasFields(principal) || !isPrincipal(principal)) {
    const message =
      "authenticate must give undefined or null, or an actor of 1 to 200 characters, known scopes, and an accountId that is a whole number or absent"
    return Effect.die(new TypeError(message))
  }
  const { accountId, actor, scopes } = principal
  const own = accountId === undefined ? { accountId: 0, user: actor } : { accountId }
  return Effect.succeed({ id: actor, ...own, scopes })
}

/** Tells who asks by what the host says. What it throws is a fault, unless it is an error of the petstore. */
export const hostAuthentication =
  (authenticate: NonNullable<HandlerOptions["authenticate"]>) =>
  ({ incoming }: Exchange): Effect.Effect<Caller, Unauthenticated> =>
    Effect.suspend(() => {
      const said = authenticate(incoming.request)
      return hasFields(said) && "then" in said
        ? Effect.flatMap(
            Effect.promise(() => said),
            callerOf
          )
        : callerOf(said)
    })
