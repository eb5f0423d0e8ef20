/** Building blocks for storage adapters: transactions over a synchronous database, notifications of commits, constraints and the order of pets. */

export { type CommitVersion, CommitWatch } from "./CommitWatch.ts"
export { constrained } from "./constrained.ts"
export { matchesPet } from "./matchesPet.ts"
export { compareText, isBehind, petOrder } from "./petOrder.ts"
export { runBody } from "./runBody.ts"
export { SynchronousConnection } from "./SynchronousConnection.ts"
export { SynchronousDatabase } from "./SynchronousDatabase.ts"
export { sharedDatabase } from "./sharedDatabase.ts"
