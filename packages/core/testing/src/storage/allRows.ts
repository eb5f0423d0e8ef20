import type { TableName, TableRecords } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import {
  addOrder,
  addPet,
  keyOf,
  newAccount,
  newApiKey,
  newCategory,
  newConsumer,
  newDelivery,
  newEnding,
  newEvent,
  newMessage,
  newParkedEvent,
  newRecord,
  newStoredResult,
  newWebhookRecord
} from "./rows.ts"
import type { Store } from "./StorageFixture.ts"
import { type TestedStore, type TestedTransaction, tables } from "./TestedStore.ts"
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
    (entries) => Object.fromEntries(entries) as unknown as StoreRecords
  )

/** Adds one row of every kind that commands write; `n` makes the rows of each call distinct. Runs in a transaction. */
export const addOneOfCommands = function* (tx: TestedTransaction, n: number) {
  const categoryId = yield* tx.categories.insert(newCategory(`Category ${n}`))
  const petId = yield* addPet(tx, categoryId)
  const orderId = yield* addOrder(tx, { state: "cancelled", petId, quantity: 1 })
  yield* tx.endings.insert(newEnding(orderId, { petId }))
  yield* tx.pets.lock(petId)
  yield* tx.records.insert(newRecord("pets", petId))
  yield* tx.events.append(newEvent(n))
  yield* tx.messages.insert(newMessage(`msg_${n}`))
  const accountId = yield* tx.accounts.insert(newAccount(`Account ${n}`))
  yield* tx.apiKeys.insert(newApiKey(accountId))
  yield* tx.idempotency.lock(keyOf(accountId, `key-${n}`))
  yield* tx.idempotency.insert(newStoredResult(`key-${n}`, { accountId }))
  const consumer = newConsumer({ name: `consumer-${n}` })
  yield* tx.consumers.insert(consumer)
  yield* tx.consumers.lock(consumer.name)
  yield* tx.consumers.save({ ...consumer, position: 1 })
  yield* tx.parkedEvents.insert(newParkedEvent({ consumer: consumer.name }))
  const webhookId = yield* tx.webhooks.insert(newWebhookRecord())
  yield* tx.deliveries.insert(newDelivery(webhookId, n))
  return petId
}

/** The same with a row of the kind that the engine alone writes, never in a transaction of a host application. */
export const addOneOfEach = function* (tx: TestedTransaction, n: number) {
  const petId = yield* addOneOfCommands(tx, n)
  yield* tx.checkpoints.lock(`orders/${n}`)
  yield* tx.checkpoints.insert({ subject: `orders/${n}`, seq: n, state: "{}" })
  return petId
}

/** One row of every kind, committed. */
export const givenOneOfEach = (store: TestedStore) =>
  Effect.andThen(
    store.run((tx) => addOneOfEach(tx, 1)),
    untilLatest(store, 1)
  )
