/** Building blocks for storage adapters: transactions over a synchronous database, notifications of commits, constraints and the order of pets. */

export { CommitNotifier, type CommitVersion } from "./CommitNotifier.ts"
export { compareCodePoints, comparePets, isAfterCursor, matchesPetQuery } from "./petQueries.ts"
export { runBody } from "./runBody.ts"
export { SynchronousConnection } from "./SynchronousConnection.ts"
export { SynchronousDatabase } from "./SynchronousDatabase.ts"
export { sharedDatabase } from "./sharedDatabase.ts"
export { withConstraints } from "./withConstraints.ts"
