import * as Context from "effect/Context"
import type { EventFilter } from "../events/EventFilter.ts"
import type { EventType } from "../events/EventType.ts"

/** The caller of a command. */
export interface PrincipalInfo {
  /** The account that idempotency keys and orders belong to; 0 for the owner of the store. */
  readonly accountId: number
  /** A user of that account, if each user has idempotency keys and orders of their own. */
  readonly user?: string | undefined
  /** The actor in the stock ledger: `owner` in-process, `key:<id>` for an API key. */
  readonly actor: string
  /**
   * Whether no other orders exist for them than their own, and no other events than those of their own orders and of
   * {@link eventTypes}.
   */
  readonly ownOnly?: boolean | undefined
  /** Whether the owners of orders are not shown. */
  readonly hidesOwners?: boolean | undefined
  /** With {@link ownOnly}, the types of which they see all events. Default: none. */
  readonly eventTypes?: ReadonlyArray<EventType> | undefined
}

/** The owner of the store, who also does what nobody calls. */
export const theStore: PrincipalInfo = { accountId: 0, actor: "owner" }

/** The principal of the running command. By default, the owner of the store. */
export const Principal: Context.Reference<PrincipalInfo> = Context.Reference<PrincipalInfo>(
  "@petstore/core/access/Principal",
  { defaultValue: () => theStore }
)

/** Whether a value can be the name of an actor: every store can keep it. */
export const isActor = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= 200 && value.isWellFormed() && !value.includes("\0")

/** Whom an order belongs to, as it is stored: an account by its id, or one user of it, whose name follows after a blank. */
const orderOwner = (accountId: number, user: string | undefined): string =>
  user === undefined ? String(accountId) : `${accountId} ${user}`

/** Whom an order belongs to, from how it is stored. */
export const ownerIn = (stored: string): { readonly accountId: number; readonly user?: string } => {
  const blank = stored.indexOf(" ")
  return blank === -1
    ? { accountId: Number(stored) }
    : { accountId: Number(stored.slice(0, blank)), user: stored.slice(blank + 1) }
}

export const isOrderOwner = (text: string): boolean => /^(?:0|[1-9][0-9]{0,15})(?: .+)?$/s.test(text)

/** Whose orders exist for a principal, as it is stored; undefined if all do. */
export const visibleOwner = ({ accountId, ownOnly, user }: PrincipalInfo): string | undefined =>
  ownOnly === true ? orderOwner(accountId, user) : undefined

/** Which events exist for a principal. */
export const visibleEvents = (principal: PrincipalInfo): Pick<EventFilter, "owner" | "shownTypes"> => {
  const owner = visibleOwner(principal)
  return owner === undefined ? {} : { owner, shownTypes: new Set(principal.eventTypes) }
}

/** Whom the orders of a principal belong to; undefined for the owner of the store. */
export const ownerOf = (principal: PrincipalInfo): string | undefined => {
  const { accountId, user } = principal
  return accountId === 0 && user === undefined ? visibleOwner(principal) : orderOwner(accountId, user)
}
