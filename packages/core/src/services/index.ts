/** The use cases, for programs that serve a petstore to others. */

export { ApiKeys, type Arrival, type RevokeOptions } from "../access/ApiKeys.ts"
export { isActor, Principal, type PrincipalInfo, theStore } from "../access/Principal.ts"
export { createCategory } from "../categories/Categories.ts"
export { ConsumerLease, Consumers } from "../consumers/Consumers.ts"
export type { ConsumerFailure, EventHandler } from "../consumers/EventHandler.ts"
export { LeaseHolders } from "../consumers/LeaseHolders.ts"
export type { ConsumerDefinition, RunningConsumer } from "../consumers/runConsumer.ts"
export type { EventSource, Follower, LogFollower } from "../events/EventSource.ts"
export { type EventError, type EventStats, Events } from "../events/Events.ts"
export { Journal } from "../events/Journal.ts"
export { storedKeyOf } from "../idempotency/IdempotencyKey.ts"
export { ImportedFile, ImportedRows } from "../idempotency/importResults.ts"
export type { IdempotencyError } from "../idempotency/once.ts"
export { setAll as setStocks } from "../inventory/Inventory.ts"
export {
  type MessageAttempt,
  MessageDelivery,
  type MessageDeliveryOptions,
  type MessageHandler
} from "../messages/MessageDelivery.ts"
export { type AttemptOutcome, MessageQueue } from "../messages/MessageQueue.ts"
export { acknowledgeMessage, giveUpMessage, type MessageClaim } from "../messages/messageCommands.ts"
export type { ReservationError } from "../orders/orderCommands.ts"
export { Reservations } from "../orders/Reservations.ts"
export { createAll as createPets } from "../pets/createPets.ts"
export type { VersionedPetWithInventory } from "../pets/Pets.ts"
export type { RecordMethods } from "../records/Records.ts"
export type { ConsumerPosition, WebhookPosition } from "../retention/holders.ts"
export { type Batch, type EventHolder, type EventRetention, Trimming } from "../retention/Trimming.ts"
export {
  AttemptCounts,
  type MessageAttempts,
  type WebhookAttemptOutcome,
  type WebhookAttempts
} from "../stats/AttemptCounts.ts"
export type {
  CommitStats,
  ConsumerStats,
  MessageStats,
  PetstoreStats,
  ReservationStats,
  TransactionStats,
  WebhookEndpointStats,
  WebhookStats
} from "../stats/PetstoreStats.ts"
export { Stats } from "../stats/Stats.ts"
export { notItsOwn, TransactionBody } from "../transactions/TransactionBody.ts"
export { type TransactionOptions, Transactions } from "../transactions/Transactions.ts"
export type { VerifiedStore } from "../verification/Run.ts"
export { type CheckResult, Verification, type VerificationReport, verifyStore } from "../verification/Verification.ts"
export type { DeliveryMethods } from "../webhooks/Deliveries.ts"
export { DeliveryWakes } from "../webhooks/DeliveryWakes.ts"
export { isSecretKey, secretKeyOption } from "../webhooks/secrets/secretKeys.ts"
export { WebhookSecrets } from "../webhooks/secrets/WebhookSecrets.ts"
export type { WebhookMethods } from "../webhooks/Webhooks.ts"
export { type Acting, Call, type Reading } from "./Call.ts"
export { Commands } from "./Commands.ts"
export { type Engine, type EngineOptions, layer, searchOption, senderOption } from "./Engine.ts"
export type { Refused } from "./hostRules.ts"
export type { CancelOptions, ChangeOptions, CreateOptions, Done, ReserveOptions, Versioned } from "./Options.ts"
export { portableHasher } from "./portableHasher.ts"
export { storeMillis } from "./storeTime.ts"
export { traced } from "./tracing.ts"
export type { UntypedEffect, UntypedMethod, UseCase } from "./UseCase.ts"
export { UseCaseRunner } from "./UseCaseRunner.ts"
export { useCases } from "./useCases.ts"
