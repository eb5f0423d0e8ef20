import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { compareValues, type Query, type Table, type Value } from "../../src/kernel/Table.ts"
import { memory } from "../../src/memory/MemoryStorage.ts"
import { Petstore } from "../../src/petstore/EffectPetstore.ts"
import { Storage } from "../../src/ports/Storage.ts"
import type { StorageError } from "../../src/ports/StorageError.ts"
import { Commands } from "../../src/programs/Commands.ts"
import { routeEvents } from "../../src/programs/webhooks/routeEvents.ts"
import { WebhookSecrets } from "../../src/programs/webhooks/secrets/WebhookSecrets.ts"
import { portableHasher } from "../../src/runtime/portableHasher.ts"
import { positionIn } from "../../src/runtime/verification/pages.ts"
import { Verification, VerificationLimits } from "../../src/runtime/verification/Verification.ts"
import { consumers, deliveries, endpoints, parkedEvents } from "../../src/tables/index.ts"
import { newConsumer, newParkedEvent } from "../../testing/src/storage/rows.ts"
import { saved, written } from "../support/writes.ts"
import { trimThrough } from "../trimStore.ts"
import { type Alter, type Damage, type Found, start } from "./Fault.ts"

type Store = Storage["Service"]

const everything = 10_000

/** Whether rows are behind the values of the first columns of a key. */
const isBehind = <Row, Key extends number | string>(table: Table<Row, Key>, after: ReadonlyArray<Value>) => {
  const positionOf = positionIn(table)
  return (row: Row): boolean => {
    const differences = after.map((value, place) => compareValues(positionOf(row)[place], value))
    return after.length === 0 || (differences.find((difference) => difference !== 0) ?? 0) > 0
  }
}

const damaged = (store: Store, { problems = [], ...damage }: Damage): Store => {
  /** The altered rows of a table or query, in the order that they have. */
  const altered = <Row>(name: string, rows: Effect.Effect<ReadonlyArray<Row>, StorageError>) => {
    // Tables are known by their names, which types cannot follow.
    const alters = damage as unknown as Readonly<Record<string, Alter<Row> | undefined>>
    return Effect.map(rows, alters[name] ?? ((unaltered) => unaltered))
  }
  const all = <Row, Key extends number | string>(table: Table<Row, Key>) =>
    altered(table.name, store.scan(table, [], everything))
  const allEvents = altered("events", store.events.scan(0, everything))
  const selected = <Row, Argument, Key extends number | string>(
    { compare, selects, table }: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number
  ) =>
    Effect.map(all(table), (rows) =>
      rows
        .filter((row) => selects(row, argument))
        .sort((one, other) => compare(one, other, argument))
        .slice(0, limit)
    )
  return {
    ...store,
    inspect: Effect.succeed(problems),
    find: (table, key) => Effect.map(all(table), (rows) => rows.find((row) => table.keyOf(row) === key)),
    scan: (table, after, limit) =>
      Effect.map(all(table), (rows) => rows.filter(isBehind(table, after)).slice(0, limit)),
    select: (query, argument, limit) =>
      ["deliveries", "records"].includes(query.table.name)
        ? selected(query, argument, limit)
        : altered(query.name, store.select(query, argument, limit)),
    events: {
      ...store.events,
      scan: (after, limit) =>
        Effect.map(allEvents, (events) => events.filter(({ seq }) => seq > after).slice(0, limit)),
      find: (seqs) => Effect.map(allEvents, (events) => events.filter(({ seq }) => seqs.includes(seq)))
    }
  }
}

/** A shop with everything that the rules are about. */
export const opened = Effect.gen(function* () {
  const { accounts, apiKeys, categories, inventory, messages, orders, pets } = yield* Petstore
  yield* categories.create({ name: "Dogs" })
  yield* categories.create({ name: "Cats" }, { idempotencyKey: "cats" })
  yield* categories.delete((yield* categories.create({ name: "Birds" })).id)

  // 1: five on hand, one of them shipped, two reserved. 2: held. 3: sold. 4: deleted. 5: one of four reserved.
  yield* pets.create({ name: "Rex", categoryId: 1 }, { idempotencyKey: "rex" })
  yield* inventory.set(1, 5)
  yield* pets.create({ name: "Tom", categoryId: 2, status: "pending" })
  yield* pets.create({ name: "Bob", categoryId: 2, status: "sold" })
  yield* pets.create({ name: "Kim", categoryId: 1 })
  yield* pets.create({ name: "Max", categoryId: 1 })
  yield* inventory.set(5, 4)

  yield* orders.place({ petId: 1, quantity: 2 }, { idempotencyKey: "open" })
  yield* orders.place({ petId: 1, complete: true })
  yield* orders.place({ petId: 1, quantity: 2 })
  yield* orders.cancel(3)
  yield* orders.place({ quantity: 3 })
  yield* orders.place({ petId: 1 })
  yield* orders.update(5, { petId: 5 })
  yield* orders.place({ petId: 4 })
  yield* orders.cancel(6)
  yield* pets.delete(4)

  yield* messages.enqueue("Hello", { idempotencyKey: "hello" })
  yield* messages.enqueue("Bye")
  yield* accounts.create({ name: "Shop" }, { idempotencyKey: "shop" })
  yield* accounts.create({ name: "Stall" })
  yield* apiKeys.create({ accountId: 1, name: "Till", preset: "write" })
  yield* apiKeys.rotate(1)
  yield* apiKeys.create({ accountId: 1, name: "Lost", preset: "read" })
  yield* apiKeys.revoke(2)

  yield* written([saved(consumers, newConsumer({ position: 3 })), saved(parkedEvents, newParkedEvent({ seq: 2 }))])
})

/** Webhooks, and deliveries of their events. Faults of other events would be faults of their deliveries too. */
const openedWebhooks = Effect.gen(function* () {
  const { webhooks } = yield* Petstore
  const { events } = yield* Storage
  const { run } = yield* Commands
  const secrets = yield* WebhookSecrets
  // 1: all types. 2: changed, rotated. 3: deleted. What the first one gets are the events of the second and the third.
  yield* webhooks.create({ url: "https://example.com/one" })
  yield* webhooks.create({ url: "https://example.com/two", types: ["pet.created"] })
  yield* webhooks.update(2, { types: ["pet.deleted"], description: "Ours", enabled: false })
  yield* webhooks.rotateSecret(2)
  yield* webhooks.create({ url: "https://example.com/three" })
  yield* webhooks.delete(3)
  const store = yield* Storage
  for (const { route, webhook } of yield* store.select(endpoints, 0, 10)) {
    const page = yield* events.scan(route.after, 1000)
    const part = { from: route.after, through: page.at(-1)?.seq ?? 0 }
    yield* run("deliveries.create", (call) => routeEvents(call, secrets, webhook.id, part, page))
  }
  const [first, second] = yield* store.scan(deliveries, [], 2)
  if (first === undefined || second === undefined) return yield* Effect.die(new Error("There are no deliveries"))
  const { nextAttemptAt: _, ...delivery } = first.delivery
  const made = { ...delivery, attempts: 1, lastAttemptAt: start }
  const failed = { attempts: 1, lastAttemptAt: start, failure: "timeout", message: "No response." } as const
  const lease = { fence: 1 }
  const latestAttempts = [[start, 12, 0, "timeout", "No response."]] as const
  yield* written([
    saved(
      deliveries,
      {
        delivery: { ...made, status: "delivered", responseStatus: 200, finishedAt: start },
        lease,
        latestAttempts: [[start, 5, 200]]
      },
      first
    ),
    saved(deliveries, { delivery: { ...second.delivery, ...failed }, lease, latestAttempts }, second)
  ])
})

interface VerifiedOptions {
  /** How many events are kept; all by default. */
  readonly kept?: number
  /** How many rows are in memory at a time; all by default. */
  readonly ids?: number
}

/** The rules that are reported as broken, each with the rows that it shows. */
export const verified = (damage: Damage, { kept, ids = 32_768 }: VerifiedOptions = {}) =>
  Effect.gen(function* () {
    yield* opened
    if (kept !== undefined) {
      const latest = yield* Effect.flatMap(Petstore, ({ events }) => events.latest)
      yield* trimThrough(latest - kept)
    }
    const isOnly = (...tables: ReadonlyArray<string>) => Object.keys(damage).every((table) => tables.includes(table))
    if (isOnly("records"))
      yield* Effect.flatMap(Petstore, ({ records }) => records.update("pets", 1, { externalId: "A-1" }))
    if (isOnly("webhooks", "deliveries")) yield* openedWebhooks
    const store = damaged(yield* Storage, damage)
    const verify = Effect.flatMap(Verification, (verification) => verification.verify)
    const report = yield* verify.pipe(
      Effect.provide(Layer.fresh(Verification.layer).pipe(Layer.provide(Layer.succeed(Storage, store)))),
      Effect.provideService(VerificationLimits, { ids, facts: ids + 1 })
    )
    const broken = report.checks.filter(({ violations }) => violations > 0)
    assert.strictEqual(report.ok, broken.length === 0)
    return { report, found: Object.fromEntries(broken.map(({ examples, name }) => [name, examples])) as Found }
  }).pipe(
    Effect.provide(
      Petstore.layer(
        { ...memory(), hasher: { ...portableHasher, randomBytes: (n) => new Uint8Array(n) } },
        { secretKey: `${"a".repeat(42)}A=` }
      )
    )
  )
