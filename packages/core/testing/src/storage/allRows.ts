import * as Effect from "effect/Effect"
import {
  addOrder,
  addPet,
  fileOf,
  newAccount,
  newApiKey,
  newCategory,
  newConsumer,
  newDelivery,
  newEvent,
  newImportBatch,
  newMessage,
  newParkedEvent,
  newStoredResult,
  newWebhookRecord
} from "./rows.ts"
import type { Store } from "./StorageFixture.ts"
import { untilLatest } from "./watching.ts"

const all = 100_000

/** Every row of a store. */
export const allRows = (store: Store) =>
  Effect.all({
    categories: store.categories.scan(0, all),
    pets: store.pets.scan(0, all),
    orders: store.orders.scan(0, all),
    movements: store.movements.scan({ petId: 0, seq: 0 }, all),
    checkpoints: store.checkpoints.scan("", all),
    events: store.events.scan(0, all),
    messages: store.messages.list({ after: "", limit: all }),
    accounts: store.accounts.list(0, all),
    apiKeys: store.apiKeys.scan(0, all),
    idempotency: store.idempotency.scan({ accountId: 0, key: "" }, all),
    imports: store.imports.scan({ file: "", seq: 0 }, all),
    consumers: store.consumers.list("", all),
    parkedEvents: store.parkedEvents.scan({ consumer: "", seq: 0 }, all),
    webhooks: store.webhooks.scan(0, all),
    deliveries: store.deliveries.scan(0, all)
  })

/** Adds one row of every kind that commands write; `n` makes the rows of each call distinct. Runs in a transaction. */
export const addOneOfCommands = (store: Store, n: number) =>
  Effect.gen(function* () {
    const categoryId = yield* store.categories.insert(newCategory(`Category ${n}`))
    const petId = yield* addPet(store, categoryId)
    yield* addOrder(store, { state: "open", petId, quantity: 1 })
    yield* store.events.append(newEvent(n))
    yield* store.messages.insert(newMessage(`msg_${n}`))
    const accountId = yield* store.accounts.insert(newAccount(`Account ${n}`))
    yield* store.apiKeys.insert(newApiKey(accountId))
    yield* store.idempotency.lock(accountId, `key-${n}`)
    yield* store.idempotency.save(newStoredResult(`key-${n}`, { accountId }))
    yield* store.imports.lock(fileOf(n))
    yield* store.imports.append(newImportBatch({ file: fileOf(n) }))
    const consumer = newConsumer({ name: `consumer-${n}` })
    yield* store.consumers.insert(consumer)
    yield* store.consumers.lock(consumer.name)
    yield* store.consumers.save({ ...consumer, position: 1 })
    yield* store.parkedEvents.save(newParkedEvent({ consumer: consumer.name }))
    const webhookId = yield* store.webhooks.insert(newWebhookRecord())
    yield* store.deliveries.insertAll([newDelivery(webhookId, n)])
    return petId
  })

/** The same with a row of the kind that the engine alone writes, never in a transaction of a host application. */
export const addOneOfEach = (store: Store, n: number) =>
  Effect.gen(function* () {
    const petId = yield* addOneOfCommands(store, n)
    yield* store.checkpoints.lock(`orders/${n}`)
    yield* store.checkpoints.save([{ subject: `orders/${n}`, seq: n, state: "{}" }])
    return petId
  })

/** One row of every kind, committed. */
export const givenOneOfEach = (store: Store) =>
  Effect.andThen(store.transact(addOneOfEach(store, 1)), untilLatest(store, 1))
