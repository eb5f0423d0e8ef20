/** A store in a SQLite file. */

export type { HostDatabase, HostStatement } from "./HostDatabase.ts"
export { type HostTransactionOptions, hostTransaction } from "./hostTransaction.ts"
export { type MigrationState, migrationState } from "./migrationState.ts"
export type { SqliteOptions } from "./SqliteOptions.ts"
export { sqlite } from "./sqlite.ts"
