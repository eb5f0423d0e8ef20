/** Building blocks for storage adapters: transactions, notifications of commits, constraints and the order of pets. */

export { CommitNotifier } from "./CommitNotifier.ts"
export { afterEnd, OpenTransactions } from "./OpenTransactions.ts"
export { compareCodePoints, comparePets, isAfterCursor, matchesPetQuery } from "./petQueries.ts"
export { runBody } from "./runBody.ts"
export { runBodyAsync, startBody } from "./runBodyAsync.ts"
export { StorageCalls } from "./StorageCalls.ts"
export { SynchronousConnection } from "./SynchronousConnection.ts"
export { SynchronousDatabase } from "./SynchronousDatabase.ts"
export { SynchronousTransaction } from "./SynchronousTransaction.ts"
export { sharedDatabase } from "./sharedDatabase.ts"
export type { CommitVersion } from "./VersionPolling.ts"
export { type StoredRows, withConstraints } from "./withConstraints.ts"
