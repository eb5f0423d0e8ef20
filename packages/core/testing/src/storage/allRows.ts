import type { TableName, TableRecords } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import {
  addOrder,
  addPet,
  fileOf,
  keyOf,
  newAccount,
  newApiKey,
  newCategory,
  newConsumer,
  newDelivery,
  newEvent,
  newImportBatch,
  newMessage,
  newParkedEvent,
  newRecord,
  newStoredResult,
  newWebhookRecord
} from "./rows.ts"
import type { Store } from "./StorageFixture.ts"
import { type TestedStore, tables } from "./TestedStore.ts"
import { untilLatest } from "./watching.ts"

/** The records of a whole store, by table. */
export type StoreRecords = { readonly [Name in TableName]: ReadonlyArray<TableRecords[Name]> }

const all = 100_000

/** Every row of a store. */
export const allRows = (store: Pick<Store, "scan"> & { readonly events: Pick<Store["events"], "scan"> }) =>
  Effect.map(
    Effect.all([
      Effect.map(store.events.scan(0, all), (rows) => ["events", rows] as const),
      ...tables.map((table) => Effect.map(store.scan(table, [], all), (rows) => [table.name, rows] as const))
    ]),
    // Types cannot follow the names of the tables.
    (found) => Object.fromEntries(found) as unknown as StoreRecords
  )

/** Adds one row of every kind that commands write; `n` makes the rows of each call distinct. Runs in a transaction. */
export const addOneOfCommands = (store: TestedStore, n: number) =>
  Effect.gen(function* () {
    const categoryId = yield* store.categories.insert(newCategory(`Category ${n}`))
    const petId = yield* addPet(store, categoryId)
    yield* addOrder(store, { state: "open", petId, quantity: 1 })
    yield* store.pets.lock(petId)
    yield* store.records.insert(newRecord("pets", petId))
    yield* store.events.append(newEvent(n))
    yield* store.messages.insert(newMessage(`msg_${n}`))
    const accountId = yield* store.accounts.insert(newAccount(`Account ${n}`))
    yield* store.apiKeys.insert(newApiKey(accountId))
    yield* store.idempotency.lock(keyOf(accountId, `key-${n}`))
    yield* store.idempotency.insert(newStoredResult(`key-${n}`, { accountId }))
    yield* store.imports.insert(newImportBatch({ file: fileOf(n) }))
    const consumer = newConsumer({ name: `consumer-${n}` })
    yield* store.consumers.insert(consumer)
    yield* store.consumers.lock(consumer.name)
    yield* store.consumers.save({ ...consumer, position: 1 })
    yield* store.parkedEvents.insert(newParkedEvent({ consumer: consumer.name }))
    const webhookId = yield* store.webhooks.insert(newWebhookRecord())
    yield* store.deliveries.insert(newDelivery(webhookId, n))
    return petId
  })

/** The same with a row of the kind that the engine alone writes, never in a transaction of a host application. */
export const addOneOfEach = (store: TestedStore, n: number) =>
  Effect.gen(function* () {
    const petId = yield* addOneOfCommands(store, n)
    yield* store.checkpoints.lock(`orders/${n}`)
    yield* store.checkpoints.insert({ subject: `orders/${n}`, seq: n, state: "{}" })
    return petId
  })

/** One row of every kind, committed. */
export const givenOneOfEach = (store: TestedStore) =>
  Effect.andThen(store.transact(addOneOfEach(store, 1)), untilLatest(store, 1))
