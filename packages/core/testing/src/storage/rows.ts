import {
  formatTimestamp,
  type MessageRecord,
  MessageRules,
  type MovementKind,
  nameKey,
  type OrderContent,
  type RecordKind,
  StockRules,
  storedKeyOf
} from "@petstore/core/domain"
import { orFail } from "@petstore/core/kernel"
import type { EventToAppend } from "@petstore/core/ports"
import type {
  AccountRecord,
  ApiKeyRecord,
  CategoryRecord,
  ConsumerRecord,
  DeliveryRecord,
  EndingRecord,
  IdempotencyRecord,
  ParkedEventRecord,
  PetRecord,
  RecordRow,
  WebhookRecord
} from "@petstore/core/tables"
import { aCategoryRecord, aMovement, anOrderRecord, aPetRecord } from "../builders.ts"
import type { TestedStore, TestedTransaction } from "./TestedStore.ts"

/** The time `seconds` after the start of the year that the tests use. */
export const at = (seconds: number): string => formatTimestamp(Date.UTC(2026, 0, 1) + seconds * 1000)

// The store gives the ids of new rows.

export const newCategory = (name: string, description?: string): CategoryRecord =>
  aCategoryRecord({ id: 0, name, ...(description === undefined ? {} : { description }) })

export const newPet = (categoryId: number, fields: Partial<PetRecord> = {}): PetRecord =>
  aPetRecord({ id: 0, categoryId, ...fields })

export const newMovement = (petId: number, seq: number, kind: MovementKind = "set") =>
  aMovement({ petId, seq, kind, deltaOnHand: 0, at: at(seq) })

/** Adds a pet and the first entry of its ledger; a part of a transaction. */
export const addPet = function* (tx: TestedTransaction, categoryId: number, fields?: Partial<PetRecord>) {
  const pet = newPet(categoryId, fields)
  const id = yield* tx.pets.insert(pet)
  yield* tx.movements.insert({ ...newMovement(id, 1, "initial"), deltaOnHand: pet.stock.onHand })
  return id
}

/** Locks a pet, which there must be; a part of a transaction. */
export const lockPet = function* (tx: TestedTransaction, id: number) {
  const pet = yield* tx.pets.lock(id)
  if (pet === undefined) throw new Error(`Pet ${id} is gone`)
  return pet
}

/** Gives a pet another name; a part of a transaction. */
export const renamePet = function* (tx: TestedTransaction, id: number, name: string) {
  yield* tx.pets.save({ ...(yield* lockPet(tx, id)), name })
}

/** Adds units to a pet, or takes them away, with a movement; a part of a transaction. */
export const addUnits = function* (tx: TestedTransaction, id: number, deltaOnHand = 1) {
  const pet = yield* lockPet(tx, id)
  const seq = pet.lastMovement + 1
  yield* tx.movements.insert({ ...newMovement(id, seq), deltaOnHand })
  const stock = { ...pet.stock, onHand: pet.stock.onHand + deltaOnHand }
  yield* tx.pets.save({ ...pet, stock, stockVersion: pet.stockVersion + 1, lastMovement: seq })
}

/** Adds an order; a part of a transaction. */
export const addOrder = (tx: TestedTransaction, order: OrderContent = { state: "draft" }) =>
  tx.orders.insert(anOrderRecord({ id: 0, order }))

/** The end of a cancelled order, as it is listed. */
export const newEnding = (orderId: number, fields: Partial<EndingRecord> = {}): EndingRecord => ({
  orderId,
  state: "cancelled",
  actor: "owner",
  ...fields
})

/** What is set in the record of a resource. */
export const newRecord = (kind: RecordKind, id: number, fields: Partial<RecordRow> = {}): RecordRow => ({
  kind,
  id,
  externalId: `SKU-${id}`,
  metadata: { vendor: "Happy Paws" },
  changes: 1,
  ...fields
})

/** A new category, committed. */
export const givenCategory = (store: TestedStore, name = "Dogs") =>
  store.run((tx) => tx.categories.insert(newCategory(name)))

/** A new pet in a new category, committed. */
export const givenPet = (store: TestedStore, fields?: Partial<PetRecord>) =>
  store.run(function* (tx) {
    return yield* addPet(tx, yield* tx.categories.insert(newCategory("Dogs")), fields)
  })

export const newEvent = (n: number, id = `evt_${n}`): EventToAppend => ({
  id,
  type: "pet.deleted",
  subject: `pets/${n}`,
  timestamp: at(n),
  data: { id: n }
})

export const newMessage = (id: string, fields: Partial<MessageRecord> = {}): MessageRecord => ({
  ...MessageRules.queued(id, "Hello", at(1)),
  ...fields
})

export const newAccount = (name: string): AccountRecord => ({
  account: { id: 0, name, createdAt: at(1) },
  nameKey: nameKey(name)
})

export const digest = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

export const newApiKey = (accountId: number, key: Partial<ApiKeyRecord["key"]> = {}): ApiKeyRecord => ({
  key: { id: 0, accountId, name: "till", scopes: ["pets:read"], createdAt: at(1), ...key },
  digest: digest(7),
  revoked: false
})

/** The key of a stored result. */
export const keyOf = (accountId: number, key: string): string => storedKeyOf({ accountId, key })

export const newStoredResult = (key: string, fields: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  accountId: 1,
  key,
  operation: "pets.create",
  fingerprint: digest(3),
  result: '{"id":1}',
  createdAt: at(1),
  ...fields
})

export const newConsumer = (fields: Partial<ConsumerRecord> = {}): ConsumerRecord => ({
  name: "invoices",
  position: 0,
  lease: { fence: 0 },
  attempts: 0,
  createdAt: at(1),
  ...fields
})

export const newParkedEvent = (fields: Partial<ParkedEventRecord> = {}): ParkedEventRecord => ({
  consumer: "invoices",
  seq: 1,
  attempts: 3,
  failure: "The printer is out of paper",
  parkedAt: at(2),
  replay: false,
  ...fields
})

export const webhookSecret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

export const newWebhookRecord = (
  webhook: Partial<WebhookRecord["webhook"]> = {},
  fields: Partial<Omit<WebhookRecord, "webhook">> = {}
): WebhookRecord => ({
  webhook: {
    id: 0,
    url: "https://example.com/petstore",
    ordered: false,
    concurrency: 10,
    enabled: true,
    createdAt: at(1),
    ...webhook
  },
  version: 1,
  secret: webhookSecret,
  route: { after: 0, enabled: true },
  deleted: false,
  ...fields
})

export const newDelivery = (
  webhookId: number,
  seq: number,
  fields: Partial<DeliveryRecord["delivery"]> = {}
): DeliveryRecord => ({
  delivery: {
    id: 0,
    webhookId,
    seq,
    eventId: `evt_${seq}`,
    type: "pet.deleted",
    subject: `pets/${seq}`,
    status: "pending",
    attempts: 0,
    createdAt: at(seq),
    nextAttemptAt: at(seq),
    ...fields
  },
  lease: { fence: 0 }
})

/** Reserves units of a pet for a new order, as the use case does; a part of a transaction. */
export const reserveUnits = function* (tx: TestedTransaction, petId: number, quantity = 1) {
  const pet = yield* lockPet(tx, petId)
  const { movements, stock } = yield* orFail(StockRules.reserve(petId, pet.stock, quantity))
  const seq = pet.lastMovement + 1
  const orderId = yield* addOrder(tx, { state: "open", petId, quantity })
  for (const movement of movements) {
    yield* tx.movements.insert({ petId, seq, ...movement, orderId, actor: "owner", at: at(seq) })
  }
  yield* tx.pets.save({ ...pet, stock, stockVersion: pet.stockVersion + 1, lastMovement: seq })
  yield* tx.events.append(newEvent(orderId, `evt_order_${orderId}`))
  return orderId
}
