/** Storage in PostgreSQL, for several servers on one database. */

export type { SchemaProblem } from "../sql/SchemaProblem.ts"
export type { PostgresPool } from "./connection/driver.ts"
export type { PostgresOptions } from "./PostgresOptions.ts"
export { postgres } from "./postgres.ts"
export { type MigrationState, migrationSql, migrationState, schemaProblems } from "./schema/migrationState.ts"
