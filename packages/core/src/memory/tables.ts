import type { Account } from "../domain/Account.ts"
import { parkedKeyOf } from "../domain/Consumer.ts"
import type { Delivery } from "../domain/Delivery.ts"
import { storedKeyOf } from "../domain/IdempotencyKey.ts"
import type { MessageRecord } from "../domain/MessageState.ts"
import type { Movement } from "../domain/Movement.ts"
import type { OrderContent } from "../domain/Order.ts"
import { orderStates } from "../domain/OrderState.ts"
import { withAllDetails } from "../domain/Pet.ts"
import { statusOf } from "../domain/Stock.ts"
import type { ApiKeyRecord } from "../ports/ApiKeyRows.ts"
import type { CategoryRecord } from "../ports/CategoryRows.ts"
import type { CheckpointRecord } from "../ports/CheckpointRows.ts"
import type { ConsumerRecord } from "../ports/ConsumerRows.ts"
import type { DeliveryRecord } from "../ports/DeliveryRows.ts"
import type { IdempotencyRecord } from "../ports/IdempotencyRows.ts"
import type { ImportBatch } from "../ports/ImportRows.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
import type { ParkedEventRecord } from "../ports/ParkedEventRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import type { WebhookRecord } from "../ports/WebhookRows.ts"
import { EventLog } from "./EventLog.ts"
import type { Filters } from "./MemoryIndex.ts"
import { type LogFormat, MemoryLog } from "./MemoryLog.ts"
import { MemoryTable } from "./MemoryTable.ts"

/** What workers look at: when a lease expires, a queued message is due, or a message was delivered or failed. */
export const messageTime = ({ createdAt, dueAt = createdAt, finishedAt, lease }: MessageRecord): string =>
  finishedAt ?? lease.until ?? dueAt

/** Sorts by file, then by number. */
export const importKey = ({ file, seq }: Pick<ImportBatch, "file" | "seq">): string =>
  `${file} ${String(seq).padStart(16, "0")}`

/** Sorts behind every time. */
export const neverDue = "~"

/** Sorts by endpoint, then by event. */
export const deliveryKey = ({ seq, webhookId }: Pick<Delivery, "seq" | "webhookId">): string =>
  `${String(webhookId).padStart(16, "0")} ${String(seq).padStart(16, "0")}`

// Literals with every field: an object that is made by spreading another one takes up to twice the space.
const copyOfPet = (pet: PetRecord): PetRecord => withStock(pet, pet)

/** A copy of a pet with other stock. */
export const withStock = (
  pet: PetRecord,
  { lastMovement, stock, stockVersion }: Pick<PetRecord, "lastMovement" | "stock" | "stockVersion">
): PetRecord => {
  const { onHand, reserved, held } = stock
  return withAllDetails({
    id: pet.id,
    name: pet.name,
    categoryId: pet.categoryId,
    version: pet.version,
    stock: { onHand, reserved, held },
    stockVersion,
    lastMovement,
    deleted: pet.deleted
  })
}

const copyOfContent = (order: OrderContent): OrderContent => {
  const { state, petId, quantity, shipDate } = order
  if (petId === undefined || quantity === undefined) return { ...order }
  return shipDate === undefined ? { state, petId, quantity } : { state, petId, quantity, shipDate }
}

const copyOfOrder = ({ id, order, owner, version }: OrderRecord): OrderRecord =>
  owner === undefined
    ? { id, order: copyOfContent(order), version }
    : { id, order: copyOfContent(order), version, owner }

const filtersOfOrder = ({ order: { petId = 0, state } }: OrderRecord): Filters | undefined => {
  const { complete, visible } = orderStates[state]
  return visible ? [complete, petId] : undefined
}

/** A movement without the pet and the number. */
type StoredMovement = Omit<Movement, "petId" | "seq" | "orderId"> & { readonly orderId: number | undefined }

const storedMovements: LogFormat<number, Movement, StoredMovement> = {
  store: ({ kind, deltaOnHand, deltaReserved, orderId, actor, at }) => ({
    kind,
    deltaOnHand,
    deltaReserved,
    orderId,
    actor,
    at
  }),
  load: ({ kind, deltaOnHand, deltaReserved, orderId, actor, at }, seq, petId) =>
    orderId === undefined
      ? { petId, seq, kind, deltaOnHand, deltaReserved, actor, at }
      : { petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at }
}

/** Every table: the keys of its rows, how they are copied, and what lists select and sort them by. */
export const tables = (undo: Array<() => void>) => ({
  pets: new MemoryTable<number, PetRecord>(undo, {
    name: "pet",
    keyOf: ({ id }) => id,
    copy: copyOfPet,
    hasFew: [true, false],
    filtersOf: ({ categoryId, deleted, stock }) => (deleted ? undefined : [statusOf(stock), categoryId]),
    sortedBy: ({ name }) => name
  }),
  categories: new MemoryTable<number, CategoryRecord>(undo, {
    name: "category",
    keyOf: ({ category }) => category.id,
    copy: (record) => ({ ...record, category: { ...record.category } }),
    filtersOf: ({ deleted, nameKey }) => (deleted ? undefined : [nameKey])
  }),
  orders: new MemoryTable<number, OrderRecord>(undo, {
    name: "order",
    keyOf: ({ id }) => id,
    copy: copyOfOrder,
    hasFew: [true, false],
    filtersOf: filtersOfOrder,
    owned: {
      // Each order has one owner, so none is listed a second time for all of them.
      hasFew: [true, true, false],
      filtersOf: (record) => {
        const filters = record.owner === undefined ? undefined : filtersOfOrder(record)
        return filters && [record.owner, ...filters]
      }
    }
  }),
  movements: new MemoryLog(undo, storedMovements),
  events: new EventLog(undo),
  checkpoints: new MemoryTable<string, CheckpointRecord>(undo, {
    name: "checkpoint",
    keyOf: ({ subject }) => subject,
    copy: (record) => ({ ...record })
  }),
  messages: new MemoryTable<string, MessageRecord>(undo, {
    name: "message",
    keyOf: ({ id }) => id,
    copy: (message) => ({ ...message, lease: { ...message.lease } }),
    filtersOf: ({ lease, status }) => [status, lease.until !== undefined],
    sortedBy: messageTime
  }),
  accounts: new MemoryTable<number, { readonly account: Account; readonly nameKey: string }>(undo, {
    name: "account",
    keyOf: ({ account }) => account.id,
    copy: ({ account, nameKey }) => ({ account: { ...account }, nameKey }),
    filtersOf: ({ nameKey }) => [nameKey]
  }),
  apiKeys: new MemoryTable<number, ApiKeyRecord>(undo, {
    name: "API key",
    keyOf: ({ key }) => key.id,
    copy: ({ previous, ...record }) => ({
      ...record,
      key: { ...record.key, scopes: [...record.key.scopes] },
      digest: record.digest.slice(),
      ...(previous === undefined ? {} : { previous: { ...previous, digest: previous.digest.slice() } })
    }),
    filtersOf: ({ key, revoked }) => (revoked ? undefined : [key.scopes.includes("admin")])
  }),
  idempotency: new MemoryTable<string, IdempotencyRecord>(undo, {
    name: "idempotency key",
    keyOf: storedKeyOf,
    copy: (record) => ({ ...record, fingerprint: record.fingerprint.slice() }),
    sortedBy: ({ createdAt }) => createdAt
  }),
  imports: new MemoryTable<string, ImportBatch>(undo, {
    name: "import batch",
    keyOf: importKey,
    copy: (batch) => ({ ...batch, rejections: batch.rejections.map((row) => ({ ...row })) }),
    filtersOf: ({ file }) => [file]
  }),
  consumers: new MemoryTable<string, ConsumerRecord>(undo, {
    name: "consumer",
    keyOf: ({ name }) => name,
    copy: ({ failure, types, ...record }) => ({
      ...record,
      lease: { ...record.lease },
      ...(types === undefined ? {} : { types: [...types] }),
      ...(failure === undefined ? {} : { failure: { ...failure } })
    })
  }),
  parkedEvents: new MemoryTable<string, ParkedEventRecord>(undo, {
    name: "parked event",
    keyOf: parkedKeyOf,
    copy: (record) => ({ ...record }),
    filtersOf: ({ consumer, replay }) => [consumer, replay]
  }),
  webhooks: new MemoryTable<number, WebhookRecord>(undo, {
    name: "webhook",
    keyOf: ({ webhook }) => webhook.id,
    copy: ({ previous, route, webhook, ...record }) => ({
      ...record,
      webhook: { ...webhook, ...(webhook.types === undefined ? {} : { types: [...webhook.types] }) },
      ...(previous === undefined ? {} : { previous: { ...previous } }),
      route: { ...route }
    }),
    filtersOf: ({ deleted }) => (deleted ? undefined : [])
  }),
  deliveries: new MemoryTable<number, DeliveryRecord>(undo, {
    name: "delivery",
    keyOf: ({ delivery }) => delivery.id,
    copy: ({ delivery, lease }) => ({ delivery: { ...delivery }, lease: { ...lease } }),
    filtersOf: ({ delivery: { status, subject, webhookId }, lease }) => [
      webhookId,
      status,
      lease.until !== undefined,
      subject
    ],
    sortedBy: ({ delivery }) => delivery.nextAttemptAt ?? neverDue
  }),
  deliveryIds: new MemoryTable<string, { readonly key: string; readonly id: number }>(undo, {
    name: "delivery of an event",
    keyOf: ({ key }) => key,
    copy: (row) => ({ ...row })
  })
})

export type Tables = ReturnType<typeof tables>
