import { Scope, Unauthenticated } from "@petstore/core/domain"
import { isActor } from "@petstore/core/services"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HostRequest } from "../HttpRequest.ts"
import type { Authenticate, Caller } from "./Caller.ts"

/** The signed-in user of your app who sends a request. */
export interface HostPrincipal {
  /** The name in the stock ledger, such as `user:7`, and whose rate limit and streams count; 1 to 200 characters. */
  readonly actor: string
  /**
   * The account whose orders and idempotency keys these are, if several actors share theirs: for example the id of a company. If
   * absent, each actor has their own.
   */
  readonly accountId?: number
  /** What they may do. Customers get `orders:own`: with `orders:read` and `orders:write`, they would see and change all orders. */
  readonly scopes: ReadonlyArray<Scope>
}

type Returned = HostPrincipal | null | undefined

const areScopes = Schema.is(Schema.Array(Scope))

const hasFields = (value: unknown): value is object => typeof value === "object" && value !== null

const isPrincipal = ({ accountId = 0, actor, scopes }: HostPrincipal): boolean =>
  isActor(actor) && Number.isSafeInteger(accountId) && accountId >= 0 && areScopes(scopes)

const callerOf = (principal: Returned): Effect.Effect<Caller, Unauthenticated> => {
  if (principal === undefined || principal === null)
    return Effect.fail(new Unauthenticated({}, { message: "Sign in first." }))
  if (!hasFields(principal) || !isPrincipal(principal)) {
    const message =
      "authenticate must return undefined or null, or an actor of 1 to 200 characters, known scopes, and an accountId that is a whole number or absent"
    return Effect.die(new TypeError(message))
  }
  const { accountId, actor, scopes } = principal
  const account = accountId === undefined ? { accountId: 0, user: actor } : { accountId }
  return Effect.succeed({ id: actor, ...account, scopes })
}

/**
 * Authenticates by the session of the host application. If that throws anything but a PetstoreError, it is an internal
 * error.
 */
export const hostAuthentication =
  (authenticate: (request: HostRequest) => Returned | Promise<Returned>): Authenticate =>
  ({ request }) =>
    Effect.suspend(() => {
      const returned = authenticate(request.original)
      return hasFields(returned) && "then" in returned
        ? Effect.flatMap(
            Effect.promise(() => returned),
            callerOf
          )
        : callerOf(returned)
    })
