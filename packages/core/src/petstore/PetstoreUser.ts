import * as Effect from "effect/Effect"
import { isActor, Principal, type PrincipalInfo } from "../domain/access/Principal.ts"
import { countOption, type OptionSchemas, optionOf, optionsCheck } from "../domain/options.ts"
import type { EventSource } from "../programs/events/EventSource.ts"

/** A user of your app, who sees only their own orders. */
export interface PetstoreUser {
  /** Their name, which is also that of the actor in the stock ledger; 1 to 200 characters. */
  readonly user: string
  /** The account whose orders and idempotency keys they share, such as the id of a company. Default: they have their own. */
  readonly accountId?: number | undefined
}

const check = optionsCheck(
  "petstore.as",
  '{ user: "ada" }',
  {
    user: optionOf("a name of 1 to 200 characters", isActor),
    accountId: countOption("the id of an account", 1)
  } satisfies OptionSchemas<PetstoreUser>,
  ["user"]
)

/** The principal of a user. Throws a TypeError if it is none. */
export const principalOf = (user: PetstoreUser): PrincipalInfo => {
  check(user)
  const { accountId = 0, user: actor } = user
  return { accountId, user: accountId === 0 ? actor : undefined, actor, ownOnly: true }
}

/** The event log as a principal sees it. */
export const eventsAs = <E, ListError>(
  { follow, latest, list }: EventSource<E, ListError>,
  principal: PrincipalInfo
): EventSource<E, ListError> => ({
  latest,
  list: (query) => Effect.provideService(list(query), Principal, principal),
  follow: (after, filter) => Effect.provideService(follow(after, filter), Principal, principal)
})
