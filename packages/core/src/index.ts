/** The petstore with a promise API, for applications. */

export * from "./domain/errors/index.ts"
export type * from "./domain/index.ts"
export { limits } from "./domain/limits.ts"
export { RuleRefusal, refusal } from "./domain/rules/index.ts"
export { memory } from "./memory/MemoryStorage.ts"
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
export type { AccountMethods } from "./programs/access/Accounts.ts"
export type { ApiKeyMethods } from "./programs/access/ApiKeys.ts"
export type { CategoryMethods } from "./programs/categories/Categories.ts"
export type { InventoryMethods } from "./programs/inventory/Inventory.ts"
export type { MessageMethods } from "./programs/messages/Messages.ts"
export type {
  CallOptions,
  CancelOptions,
  ChangeOptions,
  CreateOptions,
  ReserveOptions,
  Versioned
} from "./programs/Options.ts"
export type { OrderMethods } from "./programs/orders/Orders.ts"
export type { PetMethods, VersionedPetWithInventory } from "./programs/pets/Pets.ts"
export type { RecordMethods } from "./programs/records/Records.ts"
export type { DeliveryMethods } from "./programs/webhooks/Deliveries.ts"
export type { WebhookMethods } from "./programs/webhooks/Webhooks.ts"
export type { ConsumerFailure } from "./runtime/consumers/EventHandler.ts"
export type { EventStats } from "./runtime/events/Events.ts"
export type {
  MessageAttempt,
  MessageContext,
  MessageDeliveryOptions,
  OnMessage
} from "./runtime/messages/MessageDelivery.ts"
export type { ConsumerPosition, WebhookPosition } from "./runtime/retention/holders.ts"
export type { EventHolder, EventRetention } from "./runtime/retention/Trimming.ts"
export type { MessageAttempts, WebhookAttemptOutcome, WebhookAttempts } from "./runtime/stats/AttemptCounts.ts"
export type {
  CommitStats,
  ConsumerStats,
  MessageStats,
  PetstoreStats,
  ReservationStats,
  TransactionStats,
  WebhookEndpointStats,
  WebhookStats
} from "./runtime/stats/PetstoreStats.ts"
export type { TransactionOptions } from "./runtime/transactions/Transactions.ts"
export type { LastVerification } from "./runtime/verification/lastVerification.ts"
export type { CheckResult, VerificationReport, VerifyOptions } from "./runtime/verification/Verification.ts"
