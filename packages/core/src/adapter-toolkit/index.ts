/** Building blocks for storage adapters: commands, rows and notifications of commits. */

export { copyOfData, type EventShape, shapeOf } from "../domain/events/eventShapes.ts"
export { CommitNotifier } from "./CommitNotifier.ts"
export { type EventForm, eventFormFor, eventFormOf } from "./eventForms.ts"
export { type GroupMember, GroupQueue } from "./GroupQueue.ts"
export { afterEnd, runBody } from "./runBody.ts"
export { type RowCalls, SynchronousConnection } from "./SynchronousConnection.ts"
export { SynchronousDatabase } from "./SynchronousDatabase.ts"
export { type AnyTable, type KeptEvents, type KeptRows, SynchronousRows } from "./SynchronousRows.ts"
export { sharedDatabase } from "./sharedDatabase.ts"
export { describeCommit, TransactionCounts } from "./TransactionCounts.ts"
export type { CommitVersion } from "./VersionPolling.ts"
