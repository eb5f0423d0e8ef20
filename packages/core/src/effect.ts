/** The petstore as services and layers, for users of Effect. */

export { Principal, type PrincipalInfo } from "./domain/access/Principal.ts"
export * from "./domain/errors/index.ts"
export type * from "./domain/index.ts"
export { RuleRefusal, refusal } from "./domain/rules/index.ts"
export { memory } from "./memory/MemoryStorage.ts"
export type { ConsumeSettings } from "./petstore/ConsumerMethods.ts"
export { Petstore, type PetstoreTransaction } from "./petstore/EffectPetstore.ts"
export type { OnceOptions } from "./petstore/OnceMethods.ts"
export type { OnceEffect } from "./petstore/onceBodies.ts"
export { openPetstore, runtimeOf } from "./petstore/openPetstore.ts"
export type { PetstoreUser } from "./petstore/PetstoreUser.ts"
export type { HostTransaction } from "./ports/HostTransaction.ts"
export { Storage, type StorageAdapter } from "./ports/Storage.ts"
export type { StorageError } from "./ports/StorageError.ts"
export type { ChangeOptions, CreateOptions, Versioned } from "./programs/Options.ts"
export type { RunningConsumer } from "./runtime/consumers/runConsumer.ts"
export type { EventStats } from "./runtime/events/Events.ts"
export {
  type MessageAttempt,
  MessageDelivery,
  type MessageDeliveryOptions,
  type MessageHandler
} from "./runtime/messages/MessageDelivery.ts"
export type { RuntimeOptions } from "./runtime/Runtime.ts"
export type { MessageAttempts, WebhookAttemptOutcome, WebhookAttempts } from "./runtime/stats/AttemptCounts.ts"
export type {
  CommitStats,
  ConsumerStats,
  MessageStats,
  PetstoreStats,
  TransactionStats,
  WebhookEndpointStats,
  WebhookStats
} from "./runtime/stats/PetstoreStats.ts"
export type { TransactionError, TransactionOptions } from "./runtime/transactions/Transactions.ts"
export type { LastVerification } from "./runtime/verification/lastVerification.ts"
