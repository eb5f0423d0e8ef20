/** A store in a SQLite file. */

export type { MigrationState, SchemaProblem } from "../sql/MigrationState.ts"
export { acceptCalls } from "./host/HostCall.ts"
export type { HostDatabase, HostStatement } from "./host/HostDatabase.ts"
export { type HostTransactionOptions, hostTransaction } from "./host/hostTransaction.ts"
export type { SqliteOptions } from "./SqliteOptions.ts"
export { migrationSql, migrationState, schemaProblems } from "./schema/migrationState.ts"
export { sqlite } from "./sqlite.ts"
