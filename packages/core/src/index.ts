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
export { createPetstore } from "./petstore/createPetstore.ts"
export type { EventMethods, SubscribeOptions, Subscription } from "./petstore/EventMethods.ts"
export type {
  EmbeddedCallOptions,
  Petstore,
  PetstoreTransaction,
  PetstoreTransactionOptions
} from "./petstore/Petstore.ts"
export type * from "./petstore/PetstoreApi.ts"
export type { PetstoreOptions } from "./petstore/PetstoreOptions.ts"
export type { PetstoreUser } from "./petstore/PetstoreUser.ts"
export type { HostTransaction } from "./ports/HostTransaction.ts"
export type { StorageAdapter } from "./ports/Storage.ts"
export type { WebhookOutcome, WebhookRequest, WebhookSender } from "./ports/WebhookSender.ts"
export type { AccountMethods } from "./services/Accounts.ts"
export type { ApiKeyMethods } from "./services/ApiKeys.ts"
export type { CategoryMethods } from "./services/Categories.ts"
export type { ConsumerFailure } from "./services/consumers/EventHandler.ts"
export type { EventStats } from "./services/Events.ts"
export type { InventoryMethods } from "./services/Inventory.ts"
export type { MessageAttempt, MessageContext, MessageDeliveryOptions, OnMessage } from "./services/MessageDelivery.ts"
export type { MessageMethods } from "./services/Messages.ts"
export type { CallOptions, ChangeOptions, CreateOptions, ReserveOptions, Versioned } from "./services/Options.ts"
export type { OrderMethods } from "./services/Orders.ts"
export type { PetMethods, VersionedPetWithInventory } from "./services/Pets.ts"
export type { RecordMethods } from "./services/Records.ts"
export type { ConsumerPosition, WebhookPosition } from "./services/retention/holders.ts"
export type { EventHolder, EventRetention } from "./services/retention/Trimming.ts"
export type { MessageAttempts, WebhookAttemptOutcome, WebhookAttempts } from "./services/stats/AttemptCounts.ts"
export type {
  CommitStats,
  ConsumerStats,
  MessageStats,
  PetstoreStats,
  ReservationStats,
  TransactionStats,
  WebhookEndpointStats,
  WebhookStats
} from "./services/stats/PetstoreStats.ts"
export type { TransactionOptions } from "./services/transactions/Transactions.ts"
export type { CheckResult, VerificationReport } from "./services/Verification.ts"
export type { WebhookMethods } from "./services/Webhooks.ts"
