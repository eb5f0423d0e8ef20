/** Schemas, rules and errors: plain data and pure functions, without any store. */

export * from "./Account.ts"
export * from "./ApiKey.ts"
export * as ApiKeyToken from "./ApiKeyToken.ts"
export type { RetrySchedule } from "./backoff.ts"
export * as CategoryRules from "./Category.ts"
export { Category, CategoryDescription, CategoryName, CategoryUpdate, NewCategory } from "./Category.ts"
export type { Consumer, ParkedEvent } from "./Consumer.ts"
export * from "./Delivery.ts"
export {
  Event,
  type EventData,
  EventListQuery,
  type EventOf,
  EventQuery,
  EventSubject,
  EventType,
  type EventTypeRules,
  eventTypes,
  type NewEvent,
  type NewEventOf
} from "./Event.ts"
export type { EventFilter } from "./EventFilter.ts"
export { type EventScope, eventScopeOf, eventScopes, shownEventTypes } from "./EventType.ts"
export * from "./errors/index.ts"
export * from "./eventData.ts"
export { Id, integer } from "./Id.ts"
export { parseIdempotencyKey, readStoredKey, type StoredKey, storedKeyOf } from "./IdempotencyKey.ts"
export * from "./InventoryItem.ts"
export { limits } from "./limits.ts"
export * from "./Message.ts"
export type { MessageRecord } from "./MessageState.ts"
export * as MessageRules from "./MessageState.ts"
export type { MethodInput, MethodInputs } from "./MethodInput.ts"
export * from "./Movement.ts"
export { inputOf, type MethodName, methodInputs, type OperationName } from "./methodInputs.ts"
export * as OrderRules from "./Order.ts"
export {
  type NewOrder,
  NewOrders,
  Order,
  type OrderContent,
  OrderQuantity,
  OrderUpdate
} from "./Order.ts"
export { OrderFilter, OrderSort } from "./OrderFilter.ts"
export {
  type OrderFact,
  type OrderField,
  type OrderState,
  type OrderStateRules,
  orderStates,
  orderStatesWhere
} from "./OrderState.ts"
export {
  countOption,
  durationOption,
  functionOption,
  type OptionSchema,
  type OptionSchemas,
  optionOf,
  optionsCheck,
  secretOption,
  signalOption
} from "./options.ts"
export { cursorPattern, formatCursor, type Page, parseCursor, type Total } from "./Page.ts"
export { PageQuery } from "./PageQuery.ts"
export * from "./Pet.ts"
export { PetFilter, PetSort } from "./PetFilter.ts"
export { Reservation, type ReservationPolicy, reserveMillis } from "./Reservation.ts"
export {
  type AnyMetadata,
  ExternalId,
  Metadata,
  type MetadataOf,
  type MetadataSchemas,
  metadataOption,
  type RecordContent,
  RecordEventData,
  RecordKind,
  RecordUpdate,
  ResourceRecord
} from "./ResourceRecord.ts"
export type { KeptEvents, KeptFor, Retention } from "./Retention.ts"
export * from "./rules/index.ts"
export * from "./Scope.ts"
export * as StockRules from "./Stock.ts"
export { PetStatus, type Stock } from "./Stock.ts"
export { nameKey } from "./Text.ts"
export { formatTimestamp, parseTimestamp, Timestamp } from "./Timestamp.ts"
export { type Place, type Validated, validator } from "./validate.ts"
export * from "./Webhook.ts"
export type { WebhookState } from "./WebhookState.ts"
