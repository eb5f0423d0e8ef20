import { readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { EventType, orderStatesWhere } from "@petstore/core/domain"
import { memory, Petstore, Storage } from "@petstore/core/effect"
import { acknowledgeMessage, Commands, MessageQueue } from "@petstore/core/runtime"
import { messages as table } from "@petstore/core/tables"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const text = await readFile(new URL("./events.md", import.meta.url), "utf8")

const rows = (heading: string) => {
  const [, section = ""] = text.split(`## ${heading}\n`)
  return (
    section
      .split("\n## ")[0]
      ?.split("\n")
      .filter((line) => line.startsWith("| ") && !/^\| (Change|Field|Type|-)/.test(line))
      .map((line) => line.split("|").map((cell) => cell.trim())) ?? []
  )
}

/** The changes in the table, with the types of their events. */
const documented = new Map(
  rows("Which change writes which events").map(([, change = "", events = ""]) => [
    change,
    [...events.matchAll(/`([a-z_.]+)`(?: \((old|new) pet\))?/g)].map(([, type, pet]) =>
      pet === undefined ? type : `${type} (${pet} pet)`
    )
  ])
)

type Command = (petstore: Petstore["Service"]) => Effect.Effect<unknown, unknown, Commands | MessageQueue>

interface Scenario {
  /** Prepares the store; the ids of pets, categories and orders start at 1. */
  readonly given?: Command
  readonly when: Command
  /** The only event, which has the name of the change, so that the table does not list it. */
  readonly event?: EventType
}

const refused = (command: Effect.Effect<unknown, unknown>) => Effect.asVoid(Effect.flip(command))

const both =
  (...commands: ReadonlyArray<Command>): Command =>
  (petstore) =>
    Effect.forEach(commands, (command) => command(petstore), { discard: true })

const place =
  (quantity: number, fields: object = {}): Command =>
  ({ orders }) =>
    orders.place({ petId: 1, quantity, ...fields })

const ask =
  (status: "available" | "pending" | "sold"): Command =>
  ({ pets }) =>
    pets.update(1, { status })

const draft: Command = ({ orders }) => orders.place({ quantity: 2 })

const queue: Command = ({ messages }) => messages.enqueue("Hello")

const attempt = (outcome: "delivered" | { readonly error: string }) =>
  Effect.gen(function* () {
    const queue = yield* MessageQueue
    const { items } = yield* queue.recordAndClaim([], 1, 30_000)
    for (const { fence, id } of items) yield* queue.recordAndClaim([{ item: { id, fence }, outcome }], 0, 0)
    // Longer than the longest wait for the next attempt.
    yield* TestClock.adjust("10 hours")
  })

const deliver: Command = () => attempt("delivered")
const failOnce: Command = () => attempt({ error: "No connection" })
const failAlways: Command = () => Effect.forEach(Array.from({ length: 10 }), () => attempt({ error: "No connection" }))

const acknowledge: Command = ({ messages }) =>
  Effect.gen(function* () {
    const [{ id } = assert.fail()] = (yield* messages.list()).items
    const { run } = yield* Commands
    yield* run("deliveries.record", function* (call) {
      acknowledgeMessage(call, (yield* call.tx.lock(table, id)) ?? assert.fail())
    })
  })
const requeue: Command = ({ messages }) =>
  Effect.flatMap(messages.list(), ({ items: [message] }) => messages.requeue(message?.id ?? ""))

const removeDelivered: Command = () =>
  Effect.flatMap(MessageQueue, (queue) => queue.purge("2100-01-01T00:00:00.000Z", 100))
const account: Command = ({ accounts }) => accounts.create({ name: "Shop" })
const apiKey: Command = ({ apiKeys }) => apiKeys.create({ accountId: 1, name: "Till", scopes: ["pets:read"] })

/** What the events of that key carry. */
const apiKeyData = {
  id: 1,
  accountId: 1,
  name: "Till",
  scopes: ["pets:read"],
  createdAt: "1970-01-01T00:00:00.000Z"
}

const hook: Command = ({ webhooks }) => webhooks.create({ url: "https://example.com/hook", types: ["pet.created"] })

/** What the events of that webhook carry. */
const hookData = {
  id: 1,
  types: ["pet.created"],
  ordered: false,
  concurrency: 10,
  enabled: true,
  createdAt: "1970-01-01T00:00:00.000Z"
}

/**
 * Makes each change of the table, and those with one event, on a store with category 1 and the pets 1 (five units) and 2 (two units). The name of a change is its row, and a
 * case of it.
 */
const scenarios: Readonly<Record<string, Scenario>> = {
  "create a pet": { when: ({ pets }) => pets.create({ name: "Max", categoryId: 1 }) },
  "change the name or category of a pet": { event: "pet.updated", when: ({ pets }) => pets.update(1, { name: "Max" }) },
  "put a pet on hold, end a hold, or mark a pet sold: free units": { when: ask("pending") },
  "put a pet on hold, end a hold, or mark a pet sold: all units reserved": { given: place(5), when: ask("pending") },
  "put a pet on hold, end a hold, or mark a pet sold: the end frees units": {
    given: ask("pending"),
    when: ask("available")
  },
  "put a pet on hold, end a hold, or mark a pet sold: the end frees none": {
    given: both(place(5), ask("pending")),
    when: ask("available")
  },
  "put a pet on hold, end a hold, or mark a pet sold: sold": { when: ask("sold") },
  "change the name and the status of a pet": { when: ({ pets }) => pets.update(1, { name: "Max", status: "pending" }) },
  "delete a pet": { event: "pet.deleted", when: ({ pets }) => pets.delete(1) },
  "set or adjust a stock: the status stays": {
    event: "inventory.updated",
    when: ({ inventory }) => inventory.set(1, 7)
  },
  "set or adjust a stock: adjusted": {
    event: "inventory.updated",
    when: ({ inventory }) => inventory.adjust(1, { delta: 1, reason: "received" })
  },
  "set or adjust a stock: the status changes": {
    event: "inventory.updated",
    when: ({ inventory }) => inventory.set(1, 0)
  },
  "create a category": { event: "category.created", when: ({ categories }) => categories.create({ name: "Cats" }) },
  "change a category": {
    event: "category.updated",
    when: ({ categories }) => categories.update(1, { description: "All that bark" })
  },
  "delete a category": {
    event: "category.deleted",
    given: ({ categories }) => categories.create({ name: "Cats" }),
    when: ({ categories }) => categories.delete(2)
  },
  "place a draft": { event: "order.placed", when: draft },
  "place an order: units stay free": { when: place(2) },
  "place an order: the last free units": { when: place(5) },
  "place an order that is complete: units stay free": { when: place(2, { complete: true }) },
  "place an order that is complete: all units": { when: place(5, { complete: true }) },
  "change a draft, or the ship date of an order": {
    event: "order.updated",
    given: draft,
    when: ({ orders }) => orders.update(1, { quantity: 3 })
  },
  "give a draft its pet": { given: draft, when: ({ orders }) => orders.update(1, { petId: 1 }) },
  "give a draft its pet and complete it": {
    given: draft,
    when: ({ orders }) => orders.update(1, { petId: 1, complete: true })
  },
  "change the quantity of an open order": { given: place(2), when: ({ orders }) => orders.update(1, { quantity: 3 }) },
  "change the pet of an open order: no status changes": {
    given: place(1),
    when: ({ orders }) => orders.update(1, { petId: 2 })
  },
  "change the pet of an open order and complete it": {
    given: place(1),
    when: ({ orders }) => orders.update(1, { petId: 2, complete: true })
  },
  "change the pet of an open order: both change": {
    given: place(5),
    when: ({ orders }) => orders.update(1, { petId: 2, quantity: 2 })
  },
  "complete an open order: units are left": { given: place(2), when: ({ orders }) => orders.complete(1) },
  "complete an open order: the last unit": { given: place(5), when: ({ orders }) => orders.complete(1) },
  "cancel a draft": { event: "order.cancelled", given: draft, when: ({ orders }) => orders.cancel(1) },
  "cancel an open order: the status stays": { given: place(2), when: ({ orders }) => orders.cancel(1) },
  "cancel an open order: units are free again": { given: place(5), when: ({ orders }) => orders.cancel(1) },
  "an open order expires: the status stays": {
    given: ({ orders }) => orders.place({ petId: 1, quantity: 2 }, { reserveFor: "15 minutes" }),
    when: () => TestClock.adjust("15 minutes")
  },
  "an open order expires: units are free again": {
    given: ({ orders }) => orders.place({ petId: 1, quantity: 5 }, { reserveFor: "15 minutes" }),
    when: () => TestClock.adjust("15 minutes")
  },
  "queue a message, or queue a failed one again: new": {
    event: "message.queued",
    when: ({ messages }) => messages.enqueue("Hello")
  },
  "deliver a message: by a handler": { event: "message.delivered", given: queue, when: deliver },
  "fail to deliver a message for the last time": { event: "message.failed", given: queue, when: failAlways },
  "deliver a message: a failed one, by a webhook": {
    event: "message.delivered",
    given: both(queue, failAlways),
    when: acknowledge
  },
  "queue a message, or queue a failed one again: failed": {
    event: "message.queued",
    given: both(queue, failAlways),
    when: requeue
  },
  "delete a delivered message when it expires": {
    event: "message.deleted",
    given: both(queue, deliver),
    when: removeDelivered
  },
  "create a webhook": { event: "webhook.created", when: hook },
  "change a webhook, or enable it again": {
    event: "webhook.updated",
    given: hook,
    when: ({ webhooks }) => webhooks.update(1, { url: "https://example.com/new" })
  },
  "disable a webhook": {
    event: "webhook.disabled",
    given: hook,
    when: ({ webhooks }) => webhooks.update(1, { enabled: false, types: null })
  },
  "delete a webhook": { event: "webhook.deleted", given: hook, when: ({ webhooks }) => webhooks.delete(1) },
  "change the record of a pet": {
    event: "pet.record_updated",
    when: ({ records }) => records.update("pets", 1, { externalId: "A-1" })
  },
  "change the record of a category": {
    event: "category.record_updated",
    when: ({ records }) => records.update("categories", 1, { metadata: { aisle: "3" } })
  },
  "change the record of an order": {
    event: "order.record_updated",
    given: draft,
    when: ({ records }) => records.update("orders", 1, { metadata: { gift: "yes" } })
  },
  "create an API key": { event: "apiKey.created", given: account, when: apiKey },
  "rotate an API key": {
    event: "apiKey.rotated",
    given: both(account, apiKey),
    when: ({ apiKeys }) => apiKeys.rotate(1)
  },
  "revoke an API key": {
    event: "apiKey.revoked",
    given: both(account, apiKey),
    when: ({ apiKeys }) => apiKeys.revoke(1)
  }
}

/** Calls that the text after the table names as writing no event. */
const silent: Readonly<Record<string, Scenario>> = {
  "a no-op change": {
    given: place(2),
    when: both(
      ({ pets }) => pets.update(1, { name: "Rex", categoryId: 1, status: "available" }),
      ({ inventory }) => inventory.set(1, 5),
      ({ categories }) => categories.update(1, { name: "Dogs" }),
      ({ orders }) => orders.update(1, { petId: 1, quantity: 2, complete: false })
    )
  },
  "a call that fails": {
    given: place(2),
    when: both(
      ({ pets }) => refused(pets.create({ name: "Max", categoryId: 9 })),
      ({ pets }) => refused(pets.update(1, { name: "Max", status: "sold" })),
      ({ pets }) => refused(pets.delete(1)),
      ({ inventory }) => refused(inventory.set(1, 1)),
      ({ categories }) => refused(categories.create({ name: "dogs" })),
      ({ categories }) => refused(categories.delete(1)),
      ({ orders }) => refused(orders.place({ petId: 1, quantity: 4 })),
      ({ orders }) => refused(orders.update(1, { petId: 2, quantity: 3, complete: true })),
      ({ messages }) => refused(messages.enqueue(""))
    )
  },
  "a call that is repeated with its idempotency key": {
    given: ({ orders }) => orders.place({ petId: 1 }, { idempotencyKey: "once" }),
    when: ({ orders }) => orders.place({ petId: 1 }, { idempotencyKey: "once" })
  },
  "extending or removing a reservation": {
    given: ({ orders }) => orders.place({ petId: 1, quantity: 2 }, { reserveFor: "15 minutes" }),
    when: ({ orders }) => orders.setReservation(1, { reserveFor: "1 hour" })
  },
  "a failed attempt to deliver a message, with attempts left": { given: queue, when: failOnce },
  "a new account": { when: account },
  "rotating the secret of a webhook, testing it and redelivering": {
    given: hook,
    when: both(
      ({ webhooks }) => webhooks.rotateSecret(1),
      ({ webhooks }) => webhooks.test(1),
      ({ webhooks }) => webhooks.redeliver(1, { after: 0 })
    )
  }
}

const shop: Command = ({ categories, inventory, pets }) =>
  Effect.gen(function* () {
    yield* categories.create({ name: "Dogs" })
    yield* pets.create({ name: "Rex", categoryId: 1 })
    yield* inventory.set(1, 5)
    yield* pets.create({ name: "Bello", categoryId: 1 })
    yield* inventory.set(2, 2)
  })

/** The events before a scenario, and those that it writes. */
const written = ({ given, when }: Scenario) =>
  Effect.gen(function* () {
    const petstore = yield* Petstore
    const { events } = yield* Storage
    yield* shop(petstore)
    if (given !== undefined) yield* given(petstore)
    const before = yield* events.scan(0, 100)
    yield* when(petstore)
    return { before, events: yield* events.scan(before.length, 100) }
  }).pipe(Effect.provide(Petstore.layer(memory())))

describe("the table of changes in docs/events.md", () => {
  const rowOf = (change: string): string => change.split(": ")[0] ?? ""

  it("has a test for each row, and a row for each test", () => {
    const listed = Object.entries(scenarios).flatMap(([change, { event }]) =>
      event === undefined ? [rowOf(change)] : []
    )
    assert.sameMembers([...documented.keys()], [...new Set(listed)])
  })

  for (const [change, scenario] of Object.entries(scenarios)) {
    it.effect(`lists the events that are written when you ${change}`, () =>
      Effect.gen(function* () {
        const expected = documented.get(rowOf(change)) ?? [scenario.event]
        const marked = expected.some((type) => type?.endsWith("pet)"))
        const { before, events } = yield* written(scenario)
        const types = events.flatMap(({ subject, type }) => {
          const pet = subject.endsWith("/1") ? "old" : "new"
          if (type === "pet.status_changed") return []
          return marked && !type.startsWith("order.") ? `${type} (${pet} pet)` : type
        })
        assert.deepStrictEqual(types, expected)
        const statuses = new Map(
          before.flatMap(({ data, type }) => (type === "inventory.updated" ? [[data.petId, data.status]] : []))
        )
        const changed = events.flatMap(({ data, type }) =>
          type === "inventory.updated" && statuses.has(data.petId) && statuses.get(data.petId) !== data.status
            ? [`inventory/${data.petId}`, `pets/${data.petId}`]
            : []
        )
        const followed = events.flatMap(({ subject, type }, index) =>
          type === "pet.status_changed" ? [events[index - 1]?.subject, subject] : []
        )
        assert.deepStrictEqual(followed, changed)
      })
    )
  }

  for (const [call, scenario] of Object.entries(silent)) {
    it.effect(`given ${call}, then no event is written, and the text says so`, () =>
      Effect.gen(function* () {
        assert.include(text.replace(/\s+/g, " "), call)
        assert.isEmpty((yield* written(scenario)).events)
      })
    )
  }
})

/** Each event type, with a change that writes it, its subject and its data. */
const examples: Readonly<
  Record<Exclude<EventType, `message.${string}`>, Scenario & { readonly subject: string; readonly data: object }>
> = {
  "pet.created": {
    when: ({ pets }) => pets.create({ name: "Max", categoryId: 1, status: "pending" }),
    subject: "pets/3",
    data: { id: 3, name: "Max", categoryId: 1, status: "pending", version: 1 }
  },
  "pet.updated": {
    when: ({ pets }) => pets.update(1, { name: "Max", status: "pending" }),
    subject: "pets/1",
    data: { id: 1, name: "Max", categoryId: 1, status: "pending", version: 2 }
  },
  "pet.status_changed": {
    when: place(5),
    subject: "pets/1",
    data: { id: 1, name: "Rex", categoryId: 1, status: "pending", version: 2, previous: "available" }
  },
  "pet.deleted": { when: ({ pets }) => pets.delete(1), subject: "pets/1", data: { id: 1 } },
  "category.created": {
    when: ({ categories }) => categories.create({ name: "Cats", description: "All that purr" }),
    subject: "categories/2",
    data: { id: 2, name: "Cats", description: "All that purr", version: 1 }
  },
  "category.updated": {
    when: ({ categories }) => categories.update(1, { description: "All that bark" }),
    subject: "categories/1",
    data: { id: 1, name: "Dogs", description: "All that bark", version: 2 }
  },
  "category.deleted": {
    given: ({ categories }) => categories.create({ name: "Cats" }),
    when: ({ categories }) => categories.delete(2),
    subject: "categories/2",
    data: { id: 2 }
  },
  "inventory.updated": {
    given: place(5),
    when: ask("pending"),
    subject: "inventory/1",
    data: { petId: 1, quantity: 5, reserved: 5, available: 0, status: "pending", held: true, version: 3 }
  },
  "order.placed": {
    when: place(2, { shipDate: "2030-01-01T00:00:00Z", complete: true }),
    subject: "orders/1",
    data: {
      id: 1,
      petId: 1,
      quantity: 2,
      shipDate: "2030-01-01T00:00:00.000Z",
      complete: true,
      state: "complete",
      version: 1
    }
  },
  "order.updated": {
    given: draft,
    when: ({ orders }) => orders.update(1, { petId: 1 }),
    subject: "orders/1",
    data: { id: 1, petId: 1, quantity: 2, complete: false, state: "open", version: 2 }
  },
  "order.completed": {
    given: place(2, { shipDate: "2030-01-01T00:00:00Z" }),
    when: ({ orders }) => orders.complete(1),
    subject: "orders/1",
    data: {
      id: 1,
      petId: 1,
      quantity: 2,
      shipDate: "2030-01-01T00:00:00.000Z",
      complete: true,
      state: "complete",
      version: 2
    }
  },
  "order.cancelled": { given: draft, when: ({ orders }) => orders.cancel(1), subject: "orders/1", data: { id: 1 } },
  "order.expired": {
    given: ({ orders }) => orders.place({ petId: 1, quantity: 2 }, { reserveFor: "15 minutes" }),
    when: () => TestClock.adjust("15 minutes"),
    subject: "orders/1",
    data: { id: 1 }
  },
  "webhook.created": { when: hook, subject: "webhooks/1", data: { ...hookData, version: 1 } },
  "webhook.updated": {
    given: hook,
    when: ({ webhooks }) => webhooks.update(1, { url: "https://example.com/new", description: "Ours" }),
    subject: "webhooks/1",
    data: { ...hookData, description: "Ours", version: 2 }
  },
  "webhook.disabled": {
    given: hook,
    when: ({ webhooks }) => webhooks.update(1, { enabled: false }),
    subject: "webhooks/1",
    data: {
      ...{ ...hookData, enabled: false, disabledReason: "requested", disabledAt: "1970-01-01T00:00:00.000Z" },
      version: 2
    }
  },
  "webhook.deleted": {
    given: hook,
    when: ({ webhooks }) => webhooks.delete(1),
    subject: "webhooks/1",
    data: { id: 1 }
  },
  "pet.record_updated": {
    when: ({ records }) => records.update("pets", 1, { externalId: "A-1", metadata: { chip: "276" } }),
    subject: "pets/1",
    data: { id: 1, externalId: "A-1", metadata: { chip: "276" } }
  },
  "category.record_updated": {
    when: ({ records }) => records.update("categories", 1, { externalId: "A-1" }),
    subject: "categories/1",
    data: { id: 1, externalId: "A-1", metadata: {} }
  },
  "order.record_updated": {
    given: draft,
    when: ({ records }) => records.update("orders", 1, { metadata: { gift: "yes" } }),
    subject: "orders/1",
    data: { id: 1, metadata: { gift: "yes" } }
  },
  "apiKey.created": { given: account, when: apiKey, subject: "apiKeys/1", data: apiKeyData },
  "apiKey.rotated": {
    given: both(account, apiKey),
    when: ({ apiKeys }) => apiKeys.rotate(1),
    subject: "apiKeys/1",
    data: apiKeyData
  },
  "apiKey.revoked": {
    given: both(account, apiKey),
    when: ({ apiKeys }) => apiKeys.revoke(1),
    subject: "apiKeys/1",
    data: apiKeyData
  }
}

describe("the table of event types in docs/events.md", () => {
  const [, table = ""] = text.split(/^\| Type /m)
  const listed = (table.split("\n\n")[0] ?? "").split("\n").map((line) => line.split("|")[1] ?? "")
  const typesIn = (cell: string) => [...cell.matchAll(/`([a-zA-Z]+\.[a-z_]+)`/g)].map(([, type = ""]) => type)

  it("has every type once", () => {
    assert.deepStrictEqual(listed.flatMap(typesIn), [...EventType.literals])
  })

  it("names the states that an event of an order can show", () => {
    const [, states = ""] = /its `state`: ([^|]*)/.exec(table) ?? []
    const named = [...states.matchAll(/`([a-z]+)`/g)].map(([, state]) => state)
    assert.deepStrictEqual(named, [...orderStatesWhere(({ visible }) => visible)])
  })
})

describe("the data of events", () => {
  for (const [type, { data, subject, ...scenario }] of Object.entries(examples)) {
    it.effect(`${type} has its subject and the resource after the change`, () =>
      Effect.gen(function* () {
        const found = (yield* written(scenario)).events.filter((event) => event.type === type)
        assert.deepStrictEqual(
          found.map((event) => ({ subject: event.subject, data: event.data })),
          [{ subject, data }]
        )
      })
    )
  }

  const messageScenarios: Readonly<Record<Extract<EventType, `message.${string}`>, Command>> = {
    "message.queued": () => Effect.void,
    "message.delivered": deliver,
    "message.failed": failAlways,
    "message.deleted": both(deliver, removeDelivered)
  }
  for (const [type, when] of Object.entries(messageScenarios)) {
    it.effect(`${type} has its subject and the message`, () =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        const { id } = yield* petstore.messages.enqueue("Hello")
        yield* when(petstore)
        const event = (yield* (yield* Storage).events.scan(0, 10)).at(-1)
        assert.deepStrictEqual([event?.type, event?.subject], [type, `messages/${id}`])
        assert.deepStrictEqual(event?.data, type === "message.deleted" ? { id } : yield* petstore.messages.get(id))
      }).pipe(Effect.provide(Petstore.layer(memory())))
    )
  }

  it.effect("events are numbered without gaps, and their ids and timestamps sort in the same order", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* shop(petstore)
      for (const { when } of Object.values({ ...scenarios, ...silent })) yield* Effect.exit(when(petstore))
      const events = yield* (yield* Storage).events.scan(0, 100)
      assert.isAbove(events.length, 20)
      assert.deepStrictEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1)
      )
      const ids = events.map(({ id }) => id)
      assert.deepStrictEqual(ids, [...new Set(ids)].sort())
      assert.isTrue(ids.every((id) => /^evt_[0-9a-z]+$/.test(id)))
      const times = events.map(({ timestamp }) => timestamp)
      assert.deepStrictEqual(times, [...times].sort())
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})
