/** Building blocks for storage adapters: transactions, notifications of commits, constraints and the order of pets. */

export { CommitNotifier } from "./CommitNotifier.ts"
export { copyOfData, type EventShape, shapeOf } from "./eventShapes.ts"
export { afterEnd, OpenTransactions } from "./OpenTransactions.ts"
export { runBody } from "./runBody.ts"
export { runBodyAsync } from "./runBodyAsync.ts"
export { StorageCalls } from "./StorageCalls.ts"
export { type RowCalls, SynchronousConnection } from "./SynchronousConnection.ts"
export { SynchronousDatabase } from "./SynchronousDatabase.ts"
export { SynchronousTransaction } from "./SynchronousTransaction.ts"
export { sharedDatabase } from "./sharedDatabase.ts"
<<<<<<< HEAD
export { describeCommit, TransactionCounts } from "./TransactionCounts.ts"
=======
export { type SynchronousEvents, type SynchronousRows, synchronousRows } from "./synchronousRows.ts"
export { TransactionCounts } from "./TransactionCounts.ts"
>>>>>>> tables-kit
export type { CommitVersion } from "./VersionPolling.ts"
