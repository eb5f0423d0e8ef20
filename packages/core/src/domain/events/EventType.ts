import * as Schema from "effect/Schema"
import { allows, type Scope } from "../access/Scope.ts"

/** Every type of event. A new one is added at the end, since SQLite files contain the places of types, and to the table of `Event.ts`. */
export const EventType = Schema.Literals([
  "pet.created",
  "pet.updated",
  "pet.status_changed",
  "pet.deleted",
  "category.created",
  "category.updated",
  "category.deleted",
  "inventory.updated",
  "order.placed",
  "order.updated",
  "order.completed",
  "order.cancelled",
  "message.queued",
  "message.delivered",
  "message.failed",
  "message.deleted",
  "webhook.created",
  "webhook.updated",
  "webhook.disabled",
  "webhook.deleted",
  "pet.record_updated",
  "category.record_updated",
  "order.record_updated",
  "order.expired",
  "apiKey.created",
  "apiKey.rotated",
  "apiKey.revoked"
])
/** The type of an event. */
export type EventType = typeof EventType.Type

/** What the name of a type begins with, such as `pet` of `pet.created`. */
type Prefix<T extends EventType> = T extends `${infer Start}.${string}` ? Start : never

const scopes = {
  pet: "events:pets",
  category: "events:pets",
  inventory: "events:inventory",
  order: "events:orders",
  message: "events:messages",
  webhook: "events:webhooks",
  // Who may read keys: no scope for events alone shows who can do what.
  apiKey: "admin"
} as const satisfies { readonly [prefix in Prefix<EventType>]: Scope }

type ScopeOfType = (typeof scopes)[keyof typeof scopes]

/** A scope for the events of some types. */
export type EventScope = Exclude<ScopeOfType, "admin">

/** Every scope for the events of some types; `events:read` is for all that need no `admin`. */
export const eventScopes: ReadonlyArray<EventScope> = [
  ...new Set(Object.values(scopes).filter((scope) => scope !== "admin"))
]

/** The scope for the events of a type. */
export const eventScopeOf = (type: EventType): ScopeOfType => {
  // The name of every type has a dot.
  const [prefix] = type.split(".") as [Prefix<EventType>]
  return scopes[prefix]
}

/** The types whose events these scopes show, whatever they are about. */
export const shownEventTypes = (held: ReadonlyArray<Scope>): ReadonlyArray<EventType> =>
  EventType.literals.filter((type) => {
    const scope = eventScopeOf(type)
    return allows(held, scope) || (scope !== "admin" && held.includes("events:read"))
  })
