/** Storage in PostgreSQL, for several servers on one database. */

export type { MigrationState, SchemaProblem } from "../sql/MigrationState.ts"
export type { PostgresPool } from "./connection/driver.ts"
export { type Durability, type DurabilityFinding, durability } from "./durability.ts"
export type { PostgresOptions } from "./PostgresOptions.ts"
export { postgres } from "./postgres.ts"
export { transactionScript } from "./schema/migrate.ts"
export { migrationSql, migrationState, schemaProblems } from "./schema/migrationState.ts"
export { createSchema, dropSchema } from "./schema/ownedSchema.ts"
