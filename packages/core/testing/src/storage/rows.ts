import {
  formatTimestamp,
  type MessageRecord,
  MessageRules,
  type MovementKind,
  nameKey,
  type OrderContent,
  type Stock,
  StockRules
} from "@petstore/core/domain"
import type {
  ApiKeyRecord,
  ConsumerRecord,
  EventToAppend,
  IdempotencyRecord,
  ImportBatch,
  NewCategoryRecord,
  NewDelivery,
  ParkedEventRecord,
  PetRecord
} from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { aMovement, aNewCategoryRecord, aPetRecord, aStock } from "../builders.ts"
import type { Store } from "./StorageFixture.ts"

/** The time `seconds` after the start of the year that the tests use. */
export const at = (seconds: number): string => formatTimestamp(Date.UTC(2026, 0, 1) + seconds * 1000)

/** One unit on hand, free. */
export const oneUnit = aStock()

export const newCategory = (name: string, description?: string): NewCategoryRecord =>
  aNewCategoryRecord({ name, ...(description === undefined ? {} : { description }) })

export const newPet = (categoryId: number, fields: Partial<Omit<PetRecord, "id">> = {}): Omit<PetRecord, "id"> => {
  const { id: _, ...pet } = aPetRecord({ categoryId, ...fields })
  return pet
}

export const newMovement = (petId: number, seq: number, kind: MovementKind = "set") =>
  aMovement({ petId, seq, kind, deltaOnHand: 0, at: at(seq) })

/** Adds a pet and the first entry of its ledger; a part of a transaction. */
export const addPet = (store: Store, categoryId: number, fields?: Partial<Omit<PetRecord, "id">>) =>
  Effect.gen(function* () {
    const pet = newPet(categoryId, fields)
    const id = yield* store.pets.insert(pet)
    yield* store.movements.append({ ...newMovement(id, 1, "initial"), deltaOnHand: pet.stock.onHand })
    return id
  })

/** Gives a pet another name; a part of a transaction. */
export const renamePet = (store: Store, id: number, name: string) =>
  Effect.flatMap(store.pets.lock(id), (pet) =>
    pet === undefined ? Effect.die(new Error("The pet is gone")) : store.pets.save({ ...pet, name })
  )

/** Adds an order; a part of a transaction. */
export const addOrder = (store: Store, order: OrderContent = { state: "draft" }) =>
  store.orders.insert({ order, version: 1 })

/** A new category, committed. */
export const givenCategory = (store: Store, name = "Dogs") => store.transact(store.categories.insert(newCategory(name)))

/** A new pet in a new category, committed. */
export const givenPet = (store: Store, fields?: Partial<Omit<PetRecord, "id">>) =>
  store.transact(
    Effect.flatMap(store.categories.insert(newCategory("Dogs")), (categoryId) => addPet(store, categoryId, fields))
  )

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

export const newAccount = (name: string) => ({ name, createdAt: at(1), nameKey: nameKey(name) })

export const digest = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

type NewApiKeyRecord = Omit<ApiKeyRecord, "key"> & { readonly key: Omit<ApiKeyRecord["key"], "id"> }

export const newApiKey = (accountId: number, key: Partial<NewApiKeyRecord["key"]> = {}): NewApiKeyRecord => ({
  key: { accountId, name: "till", scopes: ["pets:read"], createdAt: at(1), ...key },
  digest: digest(7),
  revoked: false
})

export const newStoredResult = (key: string, fields: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  accountId: 1,
  key,
  operation: "pets.create",
  fingerprint: digest(3),
  result: '{"id":1}',
  createdAt: at(1),
  ...fields
})

/** The digest of a file, another for each number. */
export const fileOf = (n: number): string => n.toString(16).padStart(64, "0")

export const newImportBatch = (fields: Partial<ImportBatch> = {}): ImportBatch => ({
  file: fileOf(1),
  seq: 1,
  run: 1,
  settings: '{"format":"csv"}',
  line: 0,
  imported: 0,
  rejected: 0,
  categories: 0,
  rejections: [],
  finished: false,
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
type NewWebhookRecord = Parameters<Store["webhooks"]["insert"]>[0]

export const webhookSecret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

export const newWebhookRecord = (
  webhook: Partial<NewWebhookRecord["webhook"]> = {},
  fields: Partial<Omit<NewWebhookRecord, "webhook">> = {}
): NewWebhookRecord => ({
  webhook: {
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
  ...fields
})

export const newDelivery = (webhookId: number, seq: number, fields: Partial<NewDelivery> = {}): NewDelivery => ({
  webhookId,
  seq,
  eventId: `evt_${seq}`,
  type: "pet.deleted",
  subject: `pets/${seq}`,
  createdAt: at(seq),
  nextAttemptAt: at(seq),
  ...fields
})

/** Saves the stock of a locked pet, by the cheap way where its status stays; a part of a transaction. */
export const saveStock = (store: Store, pet: PetRecord, stock: Stock, lastMovement: number) => {
  const after = { ...pet, stock, stockVersion: pet.stockVersion + 1, lastMovement }
  return StockRules.statusOf(stock) === StockRules.statusOf(pet.stock)
    ? store.pets.saveStock(after)
    : store.pets.save({ ...after, version: pet.version + 1 })
}

/** Reserves units of a pet for a new order, as the use case does; a part of a transaction. */
export const reserveUnits = (store: Store, petId: number, quantity = 1) =>
  Effect.gen(function* () {
    const pet = yield* store.pets.lock(petId)
    if (pet === undefined) return yield* Effect.die(new Error(`Pet ${petId} is gone`))
    const { movements, stock } = yield* Effect.fromResult(StockRules.reserve(petId, pet.stock, quantity))
    const seq = pet.lastMovement + 1
    const orderId = yield* addOrder(store, { state: "open", petId, quantity })
    for (const movement of movements) {
      yield* store.movements.append({ petId, seq, ...movement, orderId, actor: "owner", at: at(seq) })
    }
    yield* saveStock(store, pet, stock, seq)
    yield* store.events.append(newEvent(orderId, `evt_order_${orderId}`))
    return orderId
  })
