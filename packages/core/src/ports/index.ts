/** What a storage adapter implements. `@petstore/core/adapter-toolkit` helps to write one. */

export { type EventRecord, type EventToAppend, type Traced, traceparent } from "../tables/eventTable.ts"
export {
  type Asker,
  ask,
  asking,
  askNext,
  awaiting,
  type Cancel,
  Direct,
  type Done,
  direct,
  goOn,
  map
} from "./Direct.ts"
export type { DeferredEvents, EventOutline, EventRows } from "./EventRows.ts"
export { Hasher } from "./Hasher.ts"
export { type HostTransaction, OnTransactionStart, TransactionSpan } from "./HostTransaction.ts"
export { BackupProgress, type OnSchemaStep, SchemaProgress, VerificationProgress } from "./progress.ts"
export type { AccessChange, AccessLog, Restore, RestoredRows, RestoreStep, TableName, TableRecords } from "./Restore.ts"
export type { Rows } from "./Rows.ts"
export { runByCalls } from "./runByCalls.ts"
export {
  type BackgroundCommand,
  type BeginCommand,
  type CheckResult,
  type CommandName,
  isBackground,
  type RunCommand,
  Storage,
  type StorageAdapter,
  type VerificationLimits,
  type WatchOptions
} from "./Storage.ts"
export { groupSizeLimits, type StorageActivity } from "./StorageActivity.ts"
export type { StorageError } from "./StorageError.ts"
export { type WebhookFailureReason, type WebhookOutcome, type WebhookRequest, WebhookSender } from "./WebhookSender.ts"
