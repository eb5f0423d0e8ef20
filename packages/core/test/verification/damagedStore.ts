import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { memory } from "../../src/memory/MemoryStorage.ts"
import { Petstore } from "../../src/petstore/EffectPetstore.ts"
import { Storage } from "../../src/ports/Storage.ts"
import type { StorageError } from "../../src/ports/StorageError.ts"
import { Commands } from "../../src/services/Commands.ts"
import { portableHasher } from "../../src/services/portableHasher.ts"
import { WebhookSecrets } from "../../src/services/secrets/WebhookSecrets.ts"
import { Verification } from "../../src/services/Verification.ts"
import { VerificationLimits } from "../../src/services/verification/VerificationLimits.ts"
import { routeEvents } from "../../src/services/webhooks/routeEvents.ts"
import { newConsumer, newImportBatch, newParkedEvent } from "../../testing/src/storage/rows.ts"
import { trimThrough } from "../trimStore.ts"
import { type Alter, type Damage, type Found, start } from "./Fault.ts"

type Store = Storage["Service"]

const everything = 10_000

/** The altered rows of a table in pages, in the order that they have. */
const altered = <Row, Position>(
  read: (after: Position, limit: number) => Effect.Effect<ReadonlyArray<Row>, StorageError>,
  start: NoInfer<Position>,
  isBehind: (row: Row, after: Position) => boolean,
  alter: Alter<Row> = (rows) => rows
) => ({
  all: Effect.map(read(start, everything), alter),
  page: (after: Position, limit: number): Effect.Effect<ReadonlyArray<Row>, StorageError> =>
    Effect.map(read(start, everything), (rows) =>
      alter(rows)
        .filter((row) => isBehind(row, after))
        .slice(0, limit)
    )
})

const byId = (row: { readonly id: number }, after: number): boolean => row.id > after

const damaged = (store: Store, damage: Damage): Store => {
  const { consumers, parkedEvents } = store
  const {
    accounts,
    apiKeys,
    categories,
    checkpoints,
    events,
    idempotency,
    imports,
    messages,
    movements,
    orders,
    pets
  } = store
  const { deliveries, webhooks } = store
  const alteredDeliveries = altered(deliveries.scan, 0, ({ delivery }, after) => delivery.id > after, damage.deliveries)
  const alteredEvents = altered(events.scan, 0, ({ seq }, after) => seq > after, damage.events)
  const { listedPets = (rows) => rows } = damage
  const alteredMessages = altered(
    (after: string, limit) => messages.list({ after, limit }),
    "",
    ({ id }, after) => id > after,
    damage.messages
  )
  const alteredConsumers = altered(consumers.list, "", ({ name }, after) => name > after, damage.consumers)
  return {
    ...store,
    inspect: Effect.succeed(damage.problems ?? []),
    categories: {
      ...categories,
      scan: altered(categories.scan, 0, ({ category }, after) => category.id > after, damage.categories).page
    },
    pets: {
      ...pets,
      scan: altered(pets.scan, 0, byId, damage.pets).page,
      list: (query) => Effect.map(pets.list(query), listedPets)
    },
    orders: { ...orders, scan: altered(orders.scan, 0, byId, damage.orders).page },
    movements: {
      ...movements,
      scan: altered(
        movements.scan,
        { petId: 0, seq: 0 },
        ({ petId, seq }, after) => petId > after.petId || (petId === after.petId && seq > after.seq),
        damage.movements
      ).page
    },
    events: {
      ...events,
      scan: alteredEvents.page,
      find: (seqs) => Effect.map(alteredEvents.all, (all) => all.filter(({ seq }) => seqs.includes(seq)))
    },
    checkpoints: {
      ...checkpoints,
      scan: altered(checkpoints.scan, "", ({ subject }, after) => subject > after, damage.checkpoints).page
    },
    messages: {
      ...messages,
      list: ({ after, limit }) => alteredMessages.page(after, limit),
      find: (id) => Effect.map(alteredMessages.all, (all) => all.find((message) => message.id === id))
    },
    idempotency: {
      ...idempotency,
      scan: altered(
        idempotency.scan,
        { accountId: 0, key: "" },
        ({ accountId, key }, after) =>
          accountId > after.accountId || (accountId === after.accountId && key > after.key),
        damage.storedResults
      ).page
    },
    imports: {
      ...imports,
      scan: altered(
        imports.scan,
        { file: "", seq: 0 },
        ({ file, seq }, after) => file > after.file || (file === after.file && seq > after.seq),
        damage.imports
      ).page
    },
    consumers: {
      ...consumers,
      list: alteredConsumers.page,
      find: (name) => Effect.map(alteredConsumers.all, (all) => all.find((consumer) => consumer.name === name))
    },
    parkedEvents: {
      ...parkedEvents,
      scan: altered(
        parkedEvents.scan,
        { consumer: "", seq: 0 },
        ({ consumer, seq }, after) => consumer > after.consumer || (consumer === after.consumer && seq > after.seq),
        damage.parkedEvents
      ).page
    },
    accounts: { ...accounts, list: altered(accounts.list, 0, byId, damage.accounts).page },
    webhooks: {
      ...webhooks,
      scan: altered(webhooks.scan, 0, ({ webhook }, after) => webhook.id > after, damage.webhooks).page
    },
    deliveries: {
      ...deliveries,
      scan: alteredDeliveries.page,
      ofEvents: (webhookId, after, limit) =>
        Effect.map(alteredDeliveries.all, (all) =>
          all
            .filter(({ delivery }) => delivery.webhookId === webhookId && delivery.seq > after)
            .sort((a, b) => a.delivery.seq - b.delivery.seq)
            .slice(0, limit)
        )
    },
    apiKeys: { ...apiKeys, scan: altered(apiKeys.scan, 0, ({ key }, after) => key.id > after, damage.apiKeys).page }
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

  const { consumers, imports, parkedEvents, transact } = yield* Storage
  yield* transact(imports.append(newImportBatch()))
  yield* transact(consumers.insert(newConsumer({ position: 3 })))
  yield* transact(parkedEvents.save(newParkedEvent({ seq: 2 })))
})

/** Webhooks, and deliveries of their events. Faults of other events would be faults of their deliveries too. */
const openedWebhooks = Effect.gen(function* () {
  const { webhooks } = yield* Petstore
  const { events, transact } = yield* Storage
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
  yield* transact(
    Effect.gen(function* () {
      for (const { route, webhook } of yield* store.webhooks.list(0, 10)) {
        const page = yield* events.scan(route.after, 1000)
        const part = { from: route.after, through: page.at(-1)?.seq ?? 0 }
        yield* run("deliveries.create", (call) => routeEvents(call, secrets, webhook.id, part, page))
      }
      const [first, second] = yield* store.deliveries.scan(0, 2)
      if (first === undefined || second === undefined) return yield* Effect.die(new Error("There are no deliveries"))
      const { nextAttemptAt: _, ...delivery } = first.delivery
      const made = { ...delivery, attempts: 1, lastAttemptAt: start }
      yield* store.deliveries.save({
        delivery: { ...made, status: "delivered", responseStatus: 200, finishedAt: start },
        lease: { fence: 1 }
      })
      const failed = { attempts: 1, lastAttemptAt: start, failure: "timeout", message: "No response." } as const
      yield* store.deliveries.save({ delivery: { ...second.delivery, ...failed }, lease: { fence: 1 } })
    })
  )
})

/** Temporary lists of a test. */
const temporaryLists = Effect.sync(() => {
  const lists = new Map<string, ReadonlyArray<string>>()
  return {
    append: (list: string, text: string) =>
      Effect.sync(() => {
        lists.set(list, [...(lists.get(list) ?? []), text])
      }),
    read: (list: string, place: number) => Effect.sync(() => lists.get(list)?.[place])
  }
})

interface VerifiedOptions {
  /** How many events are kept; all by default. */
  readonly kept?: number
  /** Whether two rows at a time are in memory. */
  readonly spill?: boolean
}

/** The rules that are reported as broken, each with the rows that it shows. */
export const verified = (damage: Damage, { kept, spill = false }: VerifiedOptions = {}) =>
  Effect.gen(function* () {
    yield* opened
    if (kept !== undefined) {
      const latest = yield* Effect.flatMap(Petstore, ({ events }) => events.latest)
      yield* trimThrough(latest - kept)
    }
    if (Object.keys(damage).every((table) => ["webhooks", "deliveries"].includes(table))) yield* openedWebhooks
    const store = { ...damaged(yield* Storage, damage), ...(spill ? { temporaryLists } : {}) }
    const verify = Effect.flatMap(Verification, (verification) => verification.verify)
    const report = yield* verify.pipe(
      Effect.provide(Layer.fresh(Verification.layer).pipe(Layer.provide(Layer.succeed(Storage, store)))),
      Effect.provideService(VerificationLimits, spill ? { ids: 2, facts: 3 } : { ids: 32_768, facts: 20_000 })
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
