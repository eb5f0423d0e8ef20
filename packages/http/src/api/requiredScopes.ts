import {
  allows,
  type EventQuery,
  EventType,
  eventScopeOf,
  InsufficientScope,
  type Scope,
  shownEventTypes
} from "@petstore/core/domain"
import type { Operation } from "./operations.ts"

type Needs = Pick<Operation, "scopes" | "typeScopes" | "bodyScope" | "ownScope" | "allOrdersScope">

/** Schemas of updates accept `id` and ignore it. */
const isIgnored = (field: string): boolean => field === "id"

/** Whether a caller with these scopes may use an operation, but of all orders only for their own. */
export const isOwnOnly = ({ ownScope, scopes, typeScopes }: Needs, held: ReadonlyArray<Scope>): boolean =>
  ownScope !== undefined &&
  held.includes(ownScope) &&
  !scopes.every((scope) => allows(held, scope)) &&
  !(typeScopes?.includes("events:orders") === true && held.includes("events:orders"))

/** The scopes that a request with any body requires. */
const scopesFor = (needs: Needs, held: ReadonlyArray<Scope>): ReadonlyArray<Scope> => {
  const { allOrdersScope, ownScope, scopes, typeScopes } = needs
  if (typeScopes?.some((scope) => held.includes(scope)) === true) return []
  if (ownScope !== undefined && isOwnOnly(needs, held)) return [ownScope]
  return allOrdersScope !== undefined && held.includes("orders:own") ? [...scopes, allOrdersScope] : scopes
}

/** The scopes that a request of a caller with this decoded body requires, all of them. */
export const requiredScopes = (needs: Needs, held: ReadonlyArray<Scope>, body: unknown): ReadonlyArray<Scope> => {
  const scopes = scopesFor(needs, held)
  const { bodyScope } = needs
  if (bodyScope === undefined || typeof body !== "object" || body === null) return scopes
  const { field, of, scope, sufficesAlone } = bodyScope
  const objects: ReadonlyArray<object> = of === undefined ? [body] : Reflect.get(body, of)
  if (!objects.some((object) => Object.hasOwn(object, field) && Reflect.get(object, field) === true)) return scopes
  const fields = Object.keys(body).filter((name) => !isIgnored(name))
  return sufficesAlone === true && fields.length === 1 ? [scope] : [...scopes, scope]
}

/** The scope that is missing with any body; undefined if the request can be allowed with some body. */
export const alwaysMissing = (needs: Needs, held: ReadonlyArray<Scope>): Scope | undefined =>
  needs.bodyScope?.sufficesAlone === true && allows(held, needs.bodyScope.scope)
    ? undefined
    : scopesFor(needs, held).find((scope) => !allows(held, scope))

/**
 * Limits a query of events to the types that a caller with these scopes may see. Those of orders are among them for a caller
 * who sees only their own.
 */
export const allowedTypes = <Query extends Pick<EventQuery, "types">>(
  needs: Needs,
  held: ReadonlyArray<Scope>,
  query: Query
): Query | InsufficientScope => {
  const shown = shownEventTypes(held)
  if (shown.length === EventType.literals.length) return query
  const isOwner = isOwnOnly(needs, held)
  const allowed = EventType.literals.filter(
    (type) => shown.includes(type) || (isOwner && eventScopeOf(type) === "events:orders")
  )
  const refused = query.types?.find((type) => !allowed.includes(type))
  if (refused !== undefined) return new InsufficientScope({ scope: eventScopeOf(refused) })
  return { ...query, types: query.types ?? allowed }
}
