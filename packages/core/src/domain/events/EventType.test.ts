import { assert, describe, it } from "@effect/vitest"
import { EventType, eventScopeOf, eventScopes, shownEventTypes } from "./EventType.ts"

const startingWith = (...starts: ReadonlyArray<string>) =>
  EventType.literals.filter((type) => starts.some((start) => type.startsWith(start)))

describe("the scopes of events", () => {
  it("show the events of what they are named after, and no others", () => {
    assert.deepStrictEqual(Object.fromEntries(eventScopes.map((scope) => [scope, shownEventTypes([scope])])), {
      "events:pets": startingWith("pet.", "category."),
      "events:inventory": startingWith("inventory."),
      "events:orders": startingWith("order."),
      "events:messages": startingWith("message."),
      "events:webhooks": startingWith("webhook.")
    })
  })

  it("show nothing without one of them, and everything with admin, and but for the events of keys with events:read", () => {
    assert.deepStrictEqual(shownEventTypes(["orders:own", "orders:read", "messages:read", "webhooks:read"]), [])
    assert.deepStrictEqual(
      shownEventTypes(["events:read"]),
      EventType.literals.filter((type) => !type.startsWith("apiKey."))
    )
    assert.deepStrictEqual(shownEventTypes(["admin"]), EventType.literals)
    for (const type of EventType.literals) assert.include(shownEventTypes([eventScopeOf(type)]), type)
    assert.deepStrictEqual(shownEventTypes(eventScopes), shownEventTypes(["events:read"]))
  })
})
