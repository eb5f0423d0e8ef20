/** The use cases, for programs that serve a petstore to others. */

export { isActor, ownerIn, Principal, type PrincipalInfo, theStore } from "../domain/access/Principal.ts"
export { storedKeyOf } from "../domain/idempotency/IdempotencyKey.ts"
export { ImportedFile, ImportedRows } from "../domain/idempotency/importResults.ts"
export { ApiKeys, type Arrival, type RevokeOptions } from "../programs/access/ApiKeys.ts"
export { type Acting, Call, type Reading } from "../programs/Call.ts"
export { Commands } from "../programs/Commands.ts"
export { createCategory } from "../programs/categories/Categories.ts"
export type { EventSource, Follower, LogFollower } from "../programs/events/EventSource.ts"
export { Journal } from "../programs/events/Journal.ts"
export type { Refused } from "../programs/hostRules.ts"
export type { IdempotencyError } from "../programs/idempotency/once.ts"
export { setAll as setStocks } from "../programs/inventory/Inventory.ts"
export { acknowledgeMessage, giveUpMessage, type MessageClaim } from "../programs/messages/messageCommands.ts"
export type {
  CancelOptions,
  ChangeOptions,
  CreateOptions,
  Done,
  ReserveOptions,
  Versioned
} from "../programs/Options.ts"
export type { ReservationError } from "../programs/orders/orderCommands.ts"
export { createAll as createPets } from "../programs/pets/createPets.ts"
export type { VersionedPetWithInventory } from "../programs/pets/Pets.ts"
export type { RecordMethods } from "../programs/records/Records.ts"
export { storeMillis } from "../programs/time.ts"
export { traced } from "../programs/tracing.ts"
export { notItsOwn, TransactionBody } from "../programs/transactions/TransactionBody.ts"
export type { UntypedEffect, UntypedMethod, UseCase } from "../programs/UseCase.ts"
export type { DeliveryMethods } from "../programs/webhooks/Deliveries.ts"
export { DeliveryWakes } from "../programs/webhooks/DeliveryWakes.ts"
export { isSecretKey } from "../programs/webhooks/secrets/secretKeys.ts"
export { WebhookSecrets } from "../programs/webhooks/secrets/WebhookSecrets.ts"
export type { WebhookMethods } from "../programs/webhooks/Webhooks.ts"
export { CallSignal } from "./background/calls.ts"
export { ConsumerLease, Consumers } from "./consumers/Consumers.ts"
export type { ConsumerFailure, EventHandler } from "./consumers/EventHandler.ts"
export { LeaseHolders } from "./consumers/LeaseHolders.ts"
export type { ConsumerDefinition, RunningConsumer } from "./consumers/runConsumer.ts"
export { type EventError, type EventStats, Events } from "./events/Events.ts"
export {
  type MessageAttempt,
  MessageDelivery,
  type MessageDeliveryOptions,
  type MessageHandler
} from "./messages/MessageDelivery.ts"
export { type AttemptOutcome, MessageQueue } from "./messages/MessageQueue.ts"
export { Reservations } from "./orders/Reservations.ts"
export { portableHasher } from "./portableHasher.ts"
export { layer, type Runtime, type RuntimeOptions, runtimeSchemas } from "./Runtime.ts"
export type { ConsumerPosition, WebhookPosition } from "./retention/holders.ts"
export { type Batch, type EventHolder, type EventRetention, Trimming } from "./retention/Trimming.ts"
export {
  AttemptCounts,
  type MessageAttempts,
  type WebhookAttemptOutcome,
  type WebhookAttempts
} from "./stats/AttemptCounts.ts"
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
export { Stats } from "./stats/Stats.ts"
export { type TransactionOptions, Transactions } from "./transactions/Transactions.ts"
export { UseCaseRunner } from "./UseCaseRunner.ts"
export { useCases } from "./useCases.ts"
export type { VerifiedStore } from "./verification/Pass.ts"
export {
  type CheckResult,
  Verification,
  type VerificationReport,
  verifyStore
} from "./verification/Verification.ts"
