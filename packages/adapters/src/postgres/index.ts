/** Storage in PostgreSQL, for several servers on one database. */

export type { PostgresPool } from "./connection/driver.ts"
export type { PostgresOptions } from "./PostgresOptions.ts"
export { postgres } from "./postgres.ts"
export { type MigrationState, migrationState } from "./schema/migrationState.ts"
