/**
 * Random valid values of every schema of the domain, difficult ones included: for `it.prop` of
 * `@effect/vitest`, or `checkEffect` of `effect/Arbitrary` in any other runner. Names are those of the schemas: `newPet` for
 * `NewPet`; `sentTimestamp` is a time as clients may send it, `timestamp` one as the petstore returns it, `queuedMessage` a `Message`.
 *
 * @example
 * ```ts
 * import { StockRules } from "@petstore/core/domain"
 * import { arbitraries } from "@petstore/testing"
 * import { Effect } from "effect"
 * import { checkEffect } from "effect/Arbitrary"
 *
 * const { _tag } = await Effect.runPromise(
 *   checkEffect(arbitraries.stock, (stock) => StockRules.available(stock) <= stock.onHand)
 * )
 * _tag // => "Passed"
 * ```
 */

import type * as domain from "@petstore/core/domain"
import {
  AdjustmentReason,
  AnyConsumerName,
  ApiKeyRotation,
  ApiKeyToken,
  AttemptFailure,
  DeletedMessage,
  DeliveriesRequeued,
  DeliveryRequeue,
  DeliveryStatus,
  EventType,
  eventTypes,
  formatTimestamp,
  Id,
  InventoryCount,
  InventoryUpdate,
  ListSort,
  limits,
  MessageId,
  MessageRequeue,
  MessageStatus,
  MessagesRequeued,
  MovementKind,
  OrderQuantity,
  OrderRules,
  OrderSort,
  orderStatesWhere,
  PetSort,
  PetStatus,
  Preset,
  RecordKind,
  Redelivered,
  ResourceId,
  reasonOf,
  Scope,
  StockQuantity,
  timeSorts,
  toInventoryItem,
  toPet,
  WebhookDisabledReason,
  WebhookRotation,
  webhookSecret
} from "@petstore/core/domain"
import { type Arbitrary, all, array, Constant, flatMap, map, schema } from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { int, oneOf, struct } from "./combine.ts"

/** Pieces that go wrong where text is cut, counted, compared or quoted carelessly. */
const pieces = [
  ...(["a", "Z", "7", "é", "e\u0301", "ß", "İ", "Ω", "\u2126", "김", "\u1100\u1175\u11b7", "犬", "كلب", "🐶"] as const),
  ...(["👩\u200d🚀", "🇩🇪", "\u{10ffff}", "a\u200bb", "שלום\u200f", "'", '"', "\\", "%", "_", "<b>"] as const),
  ...(["'; DROP TABLE pets; --", "__proto__", "null"] as const)
] as const

const piece: Arbitrary<string> = schema(Schema.Literals(pieces))
const gap = schema(Schema.Literals(["", "", " ", "\u00a0", "\u3000"]))
const lineGap = schema(Schema.Literals(["", " ", "\n", "\r\n", "\t"]))

const words = (between: Arbitrary<string>, maxPieces: number): Arbitrary<string> =>
  map(all([between, array(all([piece, between]), { minLength: 1, maxLength: maxPieces })]), ([start, rest]) =>
    [start, ...rest.flat()].join("")
  )

/** Valid text as it may be sent: short, or of exactly `max` code points. */
const sent = (between: Arbitrary<string>, max: number): Arbitrary<string> =>
  oneOf(
    words(between, 4),
    schema(Schema.Literals(["x".repeat(max), "🐶".repeat(max), `e\u0301${"x".repeat(max - 2)}`]))
  )

/** The same as it is kept. */
const kept = (text: Arbitrary<string>): Arbitrary<string> => map(text, (value) => value.trim().normalize("NFC"))

/** A name as it may be sent: decomposed letters, emoji, blanks around it. */
export const petName = sent(gap, limits.petName)
export const categoryName = sent(gap, limits.categoryName)
export const categoryDescription = oneOf(Constant(""), sent(lineGap, limits.description))
const note = sent(gap, limits.note)
export const message = sent(lineGap, limits.message)

const earliest = Date.parse("0001-01-02T00:00:00Z")
const latest = Date.parse("9999-12-30T23:59:59.999Z")
const millis = oneOf(int(0, 4_000_000_000_000), int(earliest, latest))

/** A time as the petstore returns it: in UTC with milliseconds. */
export const timestamp: Arbitrary<string> = map(millis, formatTimestamp)

/** The same times in the forms in which they may be sent: any offset, any case. */
export const sentTimestamp: Arbitrary<string> = map(
  all({ at: millis, offset: int(-1439, 1439), lower: schema(Schema.Boolean) }),
  ({ at, lower, offset }) => {
    const two = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, "0")
    const zone = offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${two(offset / 60)}:${two(offset % 60)}`
    const text = formatTimestamp(at + offset * 60_000).replace("Z", zone)
    return lower ? text.toLowerCase() : text
  }
)

export const id: Arbitrary<number> = oneOf(int(1, 20), schema(Id))
export const petStatus: Arbitrary<PetStatus> = schema(PetStatus)
export const eventType: Arbitrary<EventType> = schema(EventType)
export const stockQuantity: Arbitrary<number> = oneOf(int(0, 5), schema(StockQuantity))
export const orderQuantity: Arbitrary<number> = oneOf(int(1, 5), schema(OrderQuantity))
const boolean: Arbitrary<boolean> = schema(Schema.Boolean)
const nothing = Constant(null)

/** Any stock that a pet can have. */
export const stock: Arbitrary<domain.Stock> = flatMap(stockQuantity, (onHand) =>
  map(all({ reserved: oneOf(int(0, onHand), Constant(onHand)), held: boolean }), ({ held, reserved }) => ({
    onHand,
    reserved,
    held: held && onHand > 0
  }))
)

export const newCategory: Arbitrary<domain.NewCategory> = struct(
  { name: categoryName },
  { description: categoryDescription }
)
export const category: Arbitrary<domain.Category> = struct(
  { id, name: kept(categoryName) },
  { description: kept(categoryDescription) }
)
export const categoryUpdate: Arbitrary<domain.CategoryUpdate> = struct(
  {},
  { id, name: categoryName, description: oneOf<string | null>(nothing, categoryDescription) }
)

export const newPet: Arbitrary<domain.NewPet> = struct({ name: petName, categoryId: id }, { status: petStatus })
export const newPets: Arbitrary<domain.NewPets> = struct({ pets: array(newPet, { minLength: 1, maxLength: 5 }) })
const petRow = struct({ id, name: kept(petName), categoryId: id })
export const pet: Arbitrary<domain.Pet> = map(all([petRow, stock]), ([row, units]) => toPet(row, units))
export const petUpdate: Arbitrary<domain.PetUpdate> = struct(
  {},
  { id, name: petName, categoryId: id, status: petStatus }
)
export const inventoryItem: Arbitrary<domain.InventoryItem> = map(all([id, stock]), ([petId, units]) =>
  toInventoryItem(petId, units)
)
export const stockDelta: Arbitrary<number> = int(-limits.stock, limits.stock)
export const adjustmentReason: Arbitrary<AdjustmentReason> = schema(AdjustmentReason)
export const inventoryAdjustment: Arbitrary<domain.InventoryAdjustment> = struct(
  { delta: stockDelta, reason: adjustmentReason },
  { note, reference: note, occurredAt: sentTimestamp }
)
export const anyConsumerName: Arbitrary<string> = schema(AnyConsumerName)
export const petAdjustment: Arbitrary<domain.PetAdjustment> = struct(
  { petId: id, delta: stockDelta, reason: adjustmentReason },
  { note, reference: note, occurredAt: sentTimestamp }
)
export const inventoryAdjustments: Arbitrary<domain.InventoryAdjustments> = struct({
  adjustments: array(petAdjustment, { minLength: 1, maxLength: 5 })
})
export const inventoryCount: Arbitrary<domain.InventoryCount> = schema(InventoryCount)
export const inventoryCounts: Arbitrary<domain.InventoryCounts> = map(
  array(inventoryCount, { minLength: 1, maxLength: 5 }),
  (items) => ({ items: [...new Map(items.map((item) => [item.petId, item])).values()] })
)
export const inventoryUpdate: Arbitrary<domain.InventoryUpdate> = schema(InventoryUpdate)

export const cancelReason: Arbitrary<string> = note
export const newOrder: Arbitrary<domain.NewOrder> = struct(
  {},
  { id, petId: id, quantity: orderQuantity, shipDate: sentTimestamp, complete: boolean }
)
/** A body of `orders.placeAll`. */
export const newOrders: Arbitrary<typeof domain.NewOrders.Type> = struct({
  orders: array(newOrder, { minLength: 1, maxLength: 5 })
})
const orderContents: {
  readonly [State in Exclude<domain.OrderState, "cancelled" | "expired">]: Arbitrary<domain.OrderContent>
} = {
  draft: struct({ state: Constant("draft" as const) }, { quantity: orderQuantity, shipDate: timestamp }),
  open: struct(
    { state: Constant("open" as const), petId: id, quantity: orderQuantity },
    { shipDate: timestamp, expiresAt: timestamp }
  ),
  complete: struct({ state: Constant("complete" as const), petId: id, quantity: orderQuantity, shipDate: timestamp })
}
const { draft, ...withPet } = orderContents
/** Any stored order that is visible. */
export const orderContent: Arbitrary<domain.OrderContent> = oneOf(draft, ...Object.values(withPet))
export const order: Arbitrary<domain.Order> = map(all([id, orderContent]), ([orderId, content]) =>
  OrderRules.toOrder(orderId, content)
)
export const orderUpdate: Arbitrary<domain.OrderUpdate> = struct(
  {},
  {
    id,
    petId: id,
    quantity: orderQuantity,
    shipDate: oneOf<string | null>(nothing, sentTimestamp),
    complete: boolean
  }
)

export const reservation: Arbitrary<domain.Reservation> = struct({ orderId: id, expiresAt: timestamp })

export const movementKind: Arbitrary<MovementKind> = schema(MovementKind)
const anyMovement: Arbitrary<domain.Movement> = struct(
  {
    petId: id,
    seq: id,
    kind: movementKind,
    deltaOnHand: stockDelta,
    deltaReserved: stockDelta,
    actor: oneOf(
      Constant("owner"),
      map(id, (keyId) => `key:${keyId}`)
    ),
    at: timestamp
  },
  { orderId: id, note: kept(note), reference: kept(note), occurredAt: timestamp }
)
/** Any movement. Only adjustments have details. */
export const movement: Arbitrary<domain.Movement> = map(anyMovement, (all) => {
  const { note, occurredAt, reference, ...rest } = all
  return reasonOf(all.kind) === undefined ? rest : all
})

export const messageId: Arbitrary<string> = schema(MessageId)
export const messageStatus: Arbitrary<MessageStatus> = schema(MessageStatus)
export const newMessage: Arbitrary<domain.NewMessage> = struct({ message })
export const queuedMessage: Arbitrary<domain.Message> = struct({
  id: messageId,
  message: kept(message),
  status: messageStatus,
  createdAt: timestamp
})
export const messageRequeue: Arbitrary<domain.MessageRequeue> = schema(MessageRequeue)
export const messagesRequeued: Arbitrary<domain.MessagesRequeued> = schema(MessagesRequeued)
export const messageWithDelivery: Arbitrary<domain.MessageWithDelivery> = map(
  all([
    queuedMessage,
    struct(
      {},
      {
        attempts: int(1, 10),
        nextAttemptAt: timestamp,
        deliveredAt: timestamp,
        failedAt: timestamp,
        lastError: kept(message)
      }
    )
  ]),
  ([queued, delivery]) => ({ ...queued, ...delivery })
)

const accountName = sent(gap, limits.accountName)
const keyName = sent(gap, limits.keyName)
export const newAccount: Arbitrary<domain.NewAccount> = struct({ name: accountName })
export const account: Arbitrary<domain.Account> = struct({ id, name: kept(accountName), createdAt: timestamp })
/** Whom a stored order belongs to: an account, or one user of it. */
export const orderOwner: Arbitrary<string> = map(all([id, kept(accountName), boolean]), ([accountId, user, isUser]) =>
  isUser ? `${accountId} ${user}` : String(accountId)
)

export const scope: Arbitrary<Scope> = schema(Scope)
export const preset: Arbitrary<Preset> = schema(Preset)
/** Some scopes, each once. */
export const scopes: Arbitrary<ReadonlyArray<Scope>> = map(array(scope, { minLength: 1, maxLength: 6 }), (chosen) => [
  ...new Set(chosen)
])
export const newApiKey: Arbitrary<domain.NewApiKey> = oneOf<domain.NewApiKey>(
  struct({ accountId: id, name: keyName, scopes }, { expiresAt: sentTimestamp }),
  struct({ accountId: id, name: keyName, preset }, { expiresAt: sentTimestamp })
)
const apiKeyFields = { id, accountId: id, name: kept(keyName), scopes, createdAt: timestamp }
const apiKeyTimes = { expiresAt: timestamp, lastUsedAt: timestamp }
export const apiKey: Arbitrary<domain.ApiKey> = struct(apiKeyFields, apiKeyTimes)
export const apiKeyRotation: Arbitrary<domain.ApiKeyRotation> = schema(ApiKeyRotation)
/** 32 bytes for the secret of a key. */
export const secretBytes: Arbitrary<Uint8Array> = map(array(int(0, 255), { minLength: 32, maxLength: 32 }), (bytes) =>
  Uint8Array.from(bytes)
)
/** The text of a key. */
export const apiKeyToken: Arbitrary<string> = map(all([id, secretBytes]), ([keyId, bytes]) =>
  ApiKeyToken.formatToken(keyId, ApiKeyToken.secretFromBytes(bytes))
)
export const apiKeyWithSecret: Arbitrary<domain.ApiKeyWithSecret> = struct(
  { ...apiKeyFields, key: apiKeyToken },
  apiKeyTimes
)

const page = { limit: int(1, limits.page), cursor: Constant("MS4xLjIuMw") }
export const pageQuery: Arbitrary<domain.PageQuery> = struct({}, page)
export const listSort: Arbitrary<ListSort> = schema(ListSort)
const list = { ...page, sort: listSort }
export const listQuery: Arbitrary<domain.ListQuery> = struct({}, list)
export const metadataFilter: Arbitrary<domain.MetadataFilter> = struct({
  key: Constant("chip"),
  value: Constant("276")
})
/** The filters by times and by metadata. */
const recordFilters = {
  createdAfter: timestamp,
  createdBefore: timestamp,
  updatedAfter: timestamp,
  metadata: metadataFilter
}
export const categoryFilter: Arbitrary<domain.CategoryFilter> = struct(
  {},
  {
    ...page,
    ...recordFilters,
    sort: schema(Schema.Literals([...ListSort.literals, ...timeSorts])),
    include: Constant("record" as const)
  }
)
export const movementQuery: Arbitrary<domain.MovementQuery> = struct(
  {},
  { ...page, sort: schema(Schema.Literals(["seq", "-seq"])) }
)
export const petSort: Arbitrary<PetSort> = schema(PetSort)
const anyPetFilter: Arbitrary<domain.PetFilter> = struct(
  {},
  {
    ...page,
    ...recordFilters,
    status: petStatus,
    categoryId: id,
    name: petName,
    // Names may have no letter and no digit, or too many words.
    search: oneOf(Constant("Rex"), Constant("zoë  the-cat")),
    id: array(id, { minLength: 1, maxLength: 5 }),
    sort: petSort,
    count: boolean,
    include: Constant("record" as const)
  }
)
/** A list of names that begin with a text is in the order of names. */
export const petFilter: Arbitrary<domain.PetFilter> = map(anyPetFilter, ({ sort, ...filter }) =>
  sort === undefined || (filter.name !== undefined && sort.endsWith("id")) ? filter : { ...filter, sort }
)
export const inventoryFilter: Arbitrary<domain.InventoryFilter> = struct(
  {},
  {
    ...{ ...list, sort: schema(Schema.Literals(["id", "-id", "available", "-available"])) },
    ...{ status: petStatus, maxAvailable: stockQuantity }
  }
)
export const messageFilter: Arbitrary<domain.MessageFilter> = struct({}, { ...list, status: messageStatus })
export const orderSort: Arbitrary<OrderSort> = schema(OrderSort)
export const orderFilter: Arbitrary<domain.OrderFilter> = struct(
  {},
  {
    ...page,
    ...recordFilters,
    petId: id,
    complete: boolean,
    state: schema(Schema.Literals(orderStatesWhere(() => true))),
    sort: orderSort,
    count: boolean,
    include: Constant("record" as const)
  }
)
export const eventSubject: Arbitrary<string> = oneOf(
  map(
    all([schema(Schema.Literals(["pets", "categories", "inventory", "orders", "webhooks"])), id]),
    ([collection, of]) => `${collection}/${of}`
  ),
  map(messageId, (of) => `messages/${of}`)
)
const eventFilter = { after: int(0, 20), types: schema(Schema.NonEmptyArray(EventType)), subject: eventSubject }
export const eventQuery: Arbitrary<domain.EventQuery> = struct({}, eventFilter)
export const eventListQuery: Arbitrary<domain.EventListQuery> = struct(
  {},
  {
    ...page,
    ...eventFilter,
    since: timestamp,
    until: timestamp,
    sort: schema(Schema.Literals(["seq", "-seq"] as const))
  }
)

const someTypes = map(array(eventType, { minLength: 1, maxLength: 5 }), (all) => [...new Set(all)])
export const webhookUrl: Arbitrary<string> = map(int(1, 1_000_000), (path) => `https://hooks.example.com/${path}`)
const concurrency = int(1, limits.webhookConcurrency)
export const newWebhook: Arbitrary<domain.NewWebhook> = struct(
  { url: webhookUrl },
  { types: someTypes, description: categoryDescription, ordered: boolean, concurrency }
)
const webhookFields = { id, url: webhookUrl, ordered: boolean, concurrency, createdAt: timestamp }
const webhookDetails = { types: someTypes, description: kept(categoryDescription) }
export const webhookDisabledReason: Arbitrary<WebhookDisabledReason> = schema(WebhookDisabledReason)
const enabledWebhook = struct({ ...webhookFields, enabled: Constant(true) }, webhookDetails)
const disabledWebhook = struct(
  { ...webhookFields, enabled: Constant(false), disabledReason: webhookDisabledReason, disabledAt: timestamp },
  webhookDetails
)
export const webhook: Arbitrary<domain.Webhook> = oneOf<domain.Webhook>(enabledWebhook, disabledWebhook)
export const webhookWithSecret: Arbitrary<domain.WebhookWithSecret> = map(
  all([webhook, secretBytes]),
  ([endpoint, bytes]) => ({ ...endpoint, secret: webhookSecret(bytes) })
)
export const webhookUpdate: Arbitrary<domain.WebhookUpdate> = struct(
  {},
  {
    url: webhookUrl,
    types: oneOf<ReadonlyArray<EventType> | null>(nothing, someTypes),
    description: oneOf<string | null>(nothing, categoryDescription),
    concurrency,
    enabled: boolean
  }
)
export const webhookRotation: Arbitrary<domain.WebhookRotation> = schema(WebhookRotation)

const deliveryFields = {
  id,
  webhookId: id,
  seq: id,
  eventId: map(int(1, 1_000_000), (n) => `evt_${n}`),
  type: eventType,
  subject: map(id, (petId) => `pets/${petId}`),
  createdAt: timestamp
}
const attempts = int(1, 10)
export const attemptFailure: Arbitrary<AttemptFailure> = schema(AttemptFailure)
export const deliveryStatus: Arbitrary<DeliveryStatus> = schema(DeliveryStatus)
const failed = { failure: attemptFailure, message: Constant("The endpoint responded 500.") }
export const delivery: Arbitrary<domain.Delivery> = oneOf<domain.Delivery>(
  struct(
    { ...deliveryFields, status: Constant("pending" as const), attempts: int(0, 9) },
    { nextAttemptAt: timestamp }
  ),
  struct({
    ...{ ...deliveryFields, status: Constant("delivered" as const), attempts, responseStatus: int(200, 299) },
    ...{ lastAttemptAt: timestamp, finishedAt: timestamp }
  }),
  struct(
    {
      ...deliveryFields,
      ...failed,
      status: Constant("failed" as const),
      attempts,
      lastAttemptAt: timestamp,
      finishedAt: timestamp
    },
    { responseStatus: int(100, 599) }
  )
)
export const webhookTestResult: Arbitrary<domain.WebhookTestResult> = oneOf<domain.WebhookTestResult>(
  struct({ delivered: Constant(true), responseStatus: int(200, 299) }),
  struct({ delivered: Constant(false), ...failed }, { responseStatus: int(100, 599) })
)
export const deliveryAttempt: Arbitrary<domain.DeliveryAttempt> = map(
  all([timestamp, int(0, 20_000), webhookTestResult]),
  ([at, durationMs, outcome]) => ({ at, durationMs, ...outcome })
)
export const deliveryWithAttempts: Arbitrary<domain.DeliveryWithAttempts> = map(
  all([delivery, array(deliveryAttempt, { maxLength: 10 })]),
  ([one, latestAttempts]) => ({ ...one, latestAttempts })
)
export const redelivery: Arbitrary<domain.Redelivery> = oneOf<domain.Redelivery>(
  struct({ deliveryId: id }),
  struct({ after: int(0, 20) }, { through: int(0, 40) })
)
export const deliveryRequeue: Arbitrary<domain.DeliveryRequeue> = schema(DeliveryRequeue)
export const deliveriesRequeued: Arbitrary<domain.DeliveriesRequeued> = schema(DeliveriesRequeued)
export const redelivered: Arbitrary<domain.Redelivered> = schema(Redelivered)
export const deliverySearch: Arbitrary<domain.DeliverySearch> = struct(
  {},
  { ...list, status: deliveryStatus, type: eventType, subject: eventSubject }
)
export const deliveryFilter: Arbitrary<domain.DeliveryFilter> = struct({}, { ...list, status: deliveryStatus })

const version = id
const petEvent = map(all([petRow, stock]), ([row, units]) => toPet(row, units))
export const petEventData: Arbitrary<domain.PetEventData> = map(all([petEvent, version]), ([after, version]) => ({
  ...after,
  version
}))
export const petStatusEventData: Arbitrary<domain.PetStatusEventData> = map(
  all([petEventData, petStatus]),
  ([after, previous]) => ({ ...after, previous })
)
export const categoryEventData: Arbitrary<domain.CategoryEventData> = map(
  all([category, version]),
  ([after, version]) => ({
    ...after,
    version
  })
)
export const inventoryEventData: Arbitrary<domain.InventoryEventData> = map(
  all([id, stock, version, struct({}, { reason: adjustmentReason })]),
  ([petId, units, version, reason]) => ({ ...toInventoryItem(petId, units), held: units.held, version, ...reason })
)
export const orderEventData: Arbitrary<domain.OrderEventData> = map(
  all([id, orderContent, version]),
  ([orderId, content, version]) => ({ ...OrderRules.toOrder(orderId, content), state: content.state, version })
)
export const webhookEventData: Arbitrary<domain.WebhookEventData> = map(
  all([webhook, version]),
  ([endpoint, version]) => {
    const { url: _, ...state } = endpoint
    return { ...state, version }
  }
)
export const apiKeyEventData: Arbitrary<domain.ApiKeyEventData> = struct(apiKeyFields, { expiresAt: timestamp })
/** A key of metadata. */
const metadataKey = map(
  all([schema(Schema.Literals(["a", "Z", "chip"])), int(0, 99)]),
  ([start, end]) => `${start}_.:-${end}`
)

const metadataText = sent(lineGap, limits.metadataText)

/** Pairs as an object. */
const texts = <A>(value: Arbitrary<A>): Arbitrary<Readonly<Record<string, A>>> =>
  map(array(all([metadataKey, value]), { maxLength: 5 }), Object.fromEntries)

export const metadata: Arbitrary<domain.Metadata> = texts(kept(metadataText))
export const recordKind: Arbitrary<RecordKind> = schema(RecordKind)
export const externalId = sent(gap, limits.externalId)

export const recordUpdate: Arbitrary<domain.RecordUpdate> = struct(
  {},
  {
    externalId: oneOf<string | null>(externalId, Constant(null)),
    metadata: oneOf<Readonly<Record<string, string | null>> | null>(
      texts(oneOf<string | null>(metadataText, Constant(""), Constant(null))),
      Constant(null)
    )
  }
)

export const recordEventData: Arbitrary<domain.RecordEventData> = struct(
  { id, metadata },
  { externalId: kept(externalId) }
)

const recordFields = { createdAt: timestamp, updatedAt: timestamp, metadata }
const recordOptions = { externalId: kept(externalId) }
/** The record in a pet or category. */
export const includedRecord: Arbitrary<domain.IncludedRecord> = struct(recordFields, recordOptions)
export const includedOwner: Arbitrary<domain.OrderOwner> = struct({ accountId: id }, { user: kept(accountName) })
export const orderEnding: Arbitrary<domain.OrderEnding> = struct(
  { at: timestamp },
  { actor: kept(accountName), reason: kept(note) }
)
export const includedOrderRecord: Arbitrary<domain.IncludedOrderRecord> = struct(
  { ...recordFields, state: schema(Schema.Literals(orderStatesWhere(() => true))) },
  { ...recordOptions, expiresAt: timestamp, owner: includedOwner, ended: orderEnding }
)
export const petWithInventory: Arbitrary<domain.PetWithInventory> = map(
  all([petRow, stock, struct({}, { record: includedRecord })]),
  ([row, units, record]) => ({ ...toPet(row, units), inventory: toInventoryItem(row.id, units), ...record })
)

export const resourceRecord: Arbitrary<domain.ResourceRecord> = map(
  all([recordEventData, timestamp, timestamp]),
  ([content, createdAt, updatedAt]) => ({ ...content, createdAt, updatedAt })
)

export const resourceId: Arbitrary<domain.ResourceId> = schema(ResourceId)
export const deletedMessage: Arbitrary<domain.DeletedMessage> = schema(DeletedMessage)

const eventOf = <T extends EventType>(type: T, data: Arbitrary<domain.EventData[T]>): Arbitrary<domain.EventOf<T>> =>
  map(all([data, id, timestamp]), ([data, seq, timestamp]) => {
    const { collection, idOf } = eventTypes[type]
    return { id: `evt_${seq}`, type, timestamp, seq, subject: `${collection}/${idOf(data)}`, data }
  })

/** Any event, each type as often as the others. */
export const event: Arbitrary<domain.Event> = oneOf<domain.Event>(
  eventOf("pet.created", petEventData),
  eventOf("pet.updated", petEventData),
  eventOf("pet.status_changed", petStatusEventData),
  eventOf("pet.deleted", resourceId),
  eventOf("category.created", categoryEventData),
  eventOf("category.updated", categoryEventData),
  eventOf("category.deleted", resourceId),
  eventOf("inventory.updated", inventoryEventData),
  eventOf("order.placed", orderEventData),
  eventOf("order.updated", orderEventData),
  eventOf("order.completed", orderEventData),
  eventOf("order.cancelled", resourceId),
  eventOf("message.queued", queuedMessage),
  eventOf("message.delivered", messageWithDelivery),
  eventOf("message.failed", messageWithDelivery),
  eventOf("message.deleted", deletedMessage),
  eventOf("webhook.created", webhookEventData),
  eventOf("webhook.updated", webhookEventData),
  eventOf("webhook.disabled", webhookEventData),
  eventOf("webhook.deleted", resourceId),
  eventOf("pet.record_updated", recordEventData),
  eventOf("category.record_updated", recordEventData),
  eventOf("order.record_updated", recordEventData),
  eventOf("order.expired", resourceId),
  eventOf("apiKey.created", apiKeyEventData),
  eventOf("apiKey.rotated", apiKeyEventData),
  eventOf("apiKey.revoked", apiKeyEventData)
)
export const webhookTest: Arbitrary<domain.WebhookTest> = map(all([id, timestamp]), ([webhookId, timestamp]) => ({
  id: `evt_${webhookId}`,
  type: "webhook.test",
  timestamp,
  subject: `webhooks/${webhookId}`,
  data: { id: webhookId }
}))
export const webhookEvent: Arbitrary<domain.WebhookEvent> = oneOf<domain.WebhookEvent>(event, webhookTest)
