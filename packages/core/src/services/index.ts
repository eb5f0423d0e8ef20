/** The use cases, for programs that serve a petstore to others. */

export { Accounts } from "./Accounts.ts"
export { ApiKeys, type Arrival, type RevokeOptions } from "./ApiKeys.ts"
export { Call } from "./Call.ts"
export { Categories, createCategory } from "./Categories.ts"
export { Commands } from "./Commands.ts"
export { type ConsumerDefinition, Consumers, type RunningConsumer } from "./Consumers.ts"
export { ConsumerLease } from "./consumers/ConsumerLease.ts"
export type { ConsumerFailure, EventHandler } from "./consumers/EventHandler.ts"
export { LeaseHolders } from "./consumers/LeaseHolders.ts"
export { createAll as createPets } from "./createPets.ts"
export { type Engine, type EngineOptions, layer, type UseCaseService, useCasesOf } from "./Engine.ts"
export type { EventSource, Follower, LogFollower } from "./EventSource.ts"
export { type EventError, type EventStats, Events } from "./Events.ts"
export type { IdempotencyError } from "./Idempotency.ts"
export { Inventory, setAll as setStocks } from "./Inventory.ts"
export { Journal } from "./Journal.ts"
export {
  type MessageAttempt,
  MessageDelivery,
  type MessageDeliveryOptions,
  type MessageHandler
} from "./MessageDelivery.ts"
export { type AttemptOutcome, MessageQueue } from "./MessageQueue.ts"
export { Messages } from "./Messages.ts"
export { acknowledgeMessage, giveUpMessage, type MessageClaim } from "./messageCommands.ts"
export type { ChangeOptions, CreateOptions, Done, ReserveOptions, Versioned } from "./Options.ts"
export { Orders } from "./Orders.ts"
export type { ReservationError } from "./orderCommands.ts"
export { Pets, type VersionedPetWithInventory } from "./Pets.ts"
export { isActor, Principal, type PrincipalInfo } from "./Principal.ts"
export { portableHasher } from "./portableHasher.ts"
export { type RecordMethods, Records } from "./Records.ts"
export { Reservations } from "./reservations/Reservations.ts"
export type { ConsumerPosition, WebhookPosition } from "./retention/holders.ts"
export { type Batch, type EventHolder, type EventRetention, Trimming } from "./retention/Trimming.ts"
export { isSecretKey, secretKeyOption } from "./secrets/secretKeys.ts"
export { WebhookSecrets } from "./secrets/WebhookSecrets.ts"
export { senderOption } from "./senderOption.ts"
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
export { tracedMethod } from "./tracing.ts"
export { type TransactionOptions, Transactions } from "./transactions/Transactions.ts"
export { methodNamed, type UntypedEffect, type UntypedMethod, type UseCases } from "./UseCases.ts"
export { type CheckResult, Verification, type VerificationReport, verifyStore } from "./Verification.ts"
export type { VerifiedStore } from "./verification/Run.ts"
export { type WebhookMethods, Webhooks } from "./Webhooks.ts"
export { DeliveryWakes } from "./webhooks/DeliveryWakes.ts"
