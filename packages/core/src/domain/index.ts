/** Schemas, rules and errors: plain data and pure functions, without any store. */

export * from "./access/Account.ts"
export * from "./access/ApiKey.ts"
export * as ApiKeyToken from "./access/ApiKeyToken.ts"
export * from "./access/Scope.ts"
export type { RetrySchedule } from "./backoff.ts"
export * as CategoryRules from "./categories/Category.ts"
export {
  Category,
  CategoryDescription,
  CategoryFilter,
  CategoryName,
  CategoryUpdate,
  NewCategory
} from "./categories/Category.ts"
export { closest } from "./closest.ts"
export { AnyConsumerName, type Consumer, type ParkedEvent } from "./consumers/Consumer.ts"
export * from "./errors/index.ts"
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
} from "./events/Event.ts"
export type { EventFilter } from "./events/EventFilter.ts"
export { type EventScope, eventScopeOf, eventScopes, shownEventTypes } from "./events/EventType.ts"
export * from "./events/eventData.ts"
export { Id, integer, parseWhole } from "./Id.ts"
export { parseIdempotencyKey, readStoredKey, type StoredKey, storedKeyOf } from "./idempotency/IdempotencyKey.ts"
export * from "./inventory/InventoryItem.ts"
export * from "./inventory/Movement.ts"
export * as StockRules from "./inventory/Stock.ts"
export { PetStatus, type Stock } from "./inventory/Stock.ts"
export { isFilePath } from "./isFilePath.ts"
export { limits } from "./limits.ts"
export type { MethodInput, MethodInputs } from "./MethodInput.ts"
export * from "./messages/Message.ts"
export type { MessageRecord } from "./messages/MessageState.ts"
export * as MessageRules from "./messages/MessageState.ts"
export { consumerInputs, inputOf, type MethodName, methodInputs, type OperationName } from "./methodInputs.ts"
export {
  checkRest,
  countOption,
  durationOption,
  functionOption,
  type OptionRow,
  type OptionSchema,
  type OptionSchemas,
  type OptionTable,
  optionOf,
  optionsCheck,
  secretOption,
  signalOption,
  valuesOf
} from "./options.ts"
export * as OrderRules from "./orders/Order.ts"
export {
  CancelReason,
  type NewOrder,
  NewOrders,
  Order,
  type OrderContent,
  OrderQuantity,
  OrderUpdate
} from "./orders/Order.ts"
export { OrderFilter, OrderSort } from "./orders/OrderFilter.ts"
export type { Holdings, OrderLimits } from "./orders/OrderLimits.ts"
export {
  type OrderFact,
  type OrderField,
  type OrderState,
  type OrderStateRules,
  orderStates,
  orderStatesWhere
} from "./orders/OrderState.ts"
export { Reservation, type ReservationPolicy, reserveMillis } from "./orders/Reservation.ts"
export { cursorPattern, formatCursor, type Page, parseCursor, type Total } from "./Page.ts"
export { ListQuery, ListSort, PageQuery } from "./PageQuery.ts"
export * from "./pets/Pet.ts"
export { PetFilter, PetSort } from "./pets/PetFilter.ts"
export {
  type Include,
  IncludedOrderRecord,
  IncludedRecord,
  type IncludeOption,
  OrderEnding,
  OrderOwner,
  type Shown,
  type ShownPage
} from "./records/IncludedRecord.ts"
export { MetadataFilter, recordFilters, timeSorts } from "./records/ListFilter.ts"
export { isListIndex, type ListIndex, listIndexNames } from "./records/ListIndex.ts"
export {
  type AnyMetadata,
  ExternalId,
  Metadata,
  type MetadataOf,
  type MetadataSchemas,
  type RecordContent,
  RecordEventData,
  RecordKind,
  RecordUpdate,
  ResourceRecord
} from "./records/ResourceRecord.ts"
export type { KeptEvents, KeptFor, Retention } from "./retention/Retention.ts"
export * from "./rules/index.ts"
export { hasNoFields, shown } from "./shown.ts"
export { nameKey } from "./Text.ts"
export { formatTimestamp, parseTimestamp, Timestamp } from "./Timestamp.ts"
export { type Place, type Validated, validator } from "./validate.ts"
export { unknownName, withoutInput } from "./violations.ts"
export * from "./webhooks/Delivery.ts"
export * from "./webhooks/Webhook.ts"
export type { WebhookState } from "./webhooks/WebhookState.ts"
