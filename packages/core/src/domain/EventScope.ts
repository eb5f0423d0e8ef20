import { EventType } from "./EventType.ts"
import { allows, type Scope } from "./Scope.ts"

/** What the name of a type begins with, such as `pet` of `pet.created`. */
type Prefix<T extends EventType> = T extends `${infer Start}.${string}` ? Start : never

const scopes = {
  pet: "events:pets",
  category: "events:pets",
  inventory: "events:inventory",
  order: "events:orders",
  message: "events:messages",
  webhook: "events:webhooks"
} as const satisfies { readonly [prefix in Prefix<EventType>]: Scope }

/** A scope for the events of some types. */
export type EventScope = (typeof scopes)[keyof typeof scopes]

/** Every scope for the events of some types; `events:read` is for all. */
export const eventScopes: ReadonlyArray<EventScope> = [...new Set(Object.values(scopes))]

/** The scope for the events of a type. */
export const eventScopeOf = (type: EventType): EventScope => {
  // The name of every type has a dot.
  const [prefix] = type.split(".") as [Prefix<EventType>]
  return scopes[prefix]
}

/** The types whose events these scopes show, whatever they are about. */
export const shownEventTypes = (held: ReadonlyArray<Scope>): ReadonlyArray<EventType> =>
  allows(held, "events:read")
    ? EventType.literals
    : EventType.literals.filter((type) => held.includes(eventScopeOf(type)))
