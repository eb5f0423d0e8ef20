/** The petstore with a promise API, for applications. */

export type { AccountMethods } from "./access/Accounts.ts"
export type { ApiKeyMethods } from "./access/ApiKeys.ts"
export type { CategoryMethods } from "./categories/Categories.ts"
export type { ConsumerFailure } from "./consumers/EventHandler.ts"
export * from "./domain/errors/index.ts"
export type * from "./domain/index.ts"
export { limits } from "./domain/limits.ts"
export { RuleRefusal, refusal } from "./domain/rules/index.ts"
export type { EventStats } from "./events/Events.ts"
export type { InventoryMethods } from "./inventory/Inventory.ts"
export { memory } from "./memory/MemoryStorage.ts"
export type { MessageAttempt, MessageContext, MessageDeliveryOptions, OnMessage } from "./messages/MessageDelivery.ts"
export type { MessageMethods } from "./messages/Messages.ts"
export type { OrderMethods } from "./orders/Orders.ts"
export type { PetMethods, VersionedPetWithInventory } from "./pets/Pets.ts"
export type {
  ConsumeOptions,
  ConsumerMethods,
  ConsumersMethods,
  ConsumeSettings,
  EventAttempt,
  OpenConsumer
} from "./petstore/ConsumerMethods.ts"
export { createPetstore, type PetstoreOptions } from "./petstore/createPetstore.ts"
export type {
  EmbeddedOnceOptions,
  OnceCallOptions,
  OnceMethods,
  OnceOptions,
  TransactionOnceMethods
} from "./petstore/OnceMethods.ts"
export type {
  EmbeddedCallOptions,
  Petstore,
  PetstoreTransaction,
  PetstoreTransactionOptions
} from "./petstore/Petstore.ts"
export type * from "./petstore/PetstoreApi.ts"
export type { PetstoreUser } from "./petstore/PetstoreUser.ts"
export type { HostTransaction } from "./ports/HostTransaction.ts"
export type { StorageAdapter } from "./ports/Storage.ts"
export type { WebhookOutcome, WebhookRequest, WebhookSender } from "./ports/WebhookSender.ts"
export type { RecordMethods } from "./records/Records.ts"
export type { ConsumerPosition, WebhookPosition } from "./retention/holders.ts"
export type { EventHolder, EventRetention } from "./retention/Trimming.ts"
export type {
  CallOptions,
  CancelOptions,
  ChangeOptions,
  CreateOptions,
  ReserveOptions,
  Versioned
} from "./services/Options.ts"
export type { MessageAttempts, WebhookAttemptOutcome, WebhookAttempts } from "./stats/AttemptCounts.ts"
export type {
  CommitStats,
  ConsumerStats,
  MessageStats,
  PetstoreStats,
  ReservationStats,
  TransactionStats,
  WebhookEndpointStats,
  WebhookStats
} from "./stats/PetstoreStats.ts"
export type { TransactionOptions } from "./transactions/Transactions.ts"
export type { CheckResult, VerificationReport } from "./verification/Verification.ts"
export type { DeliveryMethods } from "./webhooks/Deliveries.ts"
export type { WebhookMethods } from "./webhooks/Webhooks.ts"
