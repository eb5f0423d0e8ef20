import type { SchemaProblem } from "@petstore/adapters/postgres"
import { type EngineOptions, Petstore, type StorageAdapter, type StorageError } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type DatabaseUnreachable, type SubcommandFailed, UsageError } from "./errors.ts"
import type { Database } from "./settings.ts"
import * as settings from "./settings.ts"

/** Each database is loaded when it is used: a server on PostgreSQL needs no SQLite, and the other way round. */
const sqliteFile = Effect.promise(() => import("./sqliteFile.ts"))
const postgresServer = Effect.promise(() => import("./postgresServer.ts"))

/** Fails for a setting that the kind of database does not have: ignoring it would use other tables than meant. */
const checkSettings = ({ schema, storage, tablePrefix }: Database): Effect.Effect<void, UsageError> => {
  if (storage.kind === "postgres" && tablePrefix !== settings.tablePrefix.default) {
    return Effect.fail(
      new UsageError({ message: "--table-prefix and PETSTORE_TABLE_PREFIX are for SQLite; on PostgreSQL use --schema" })
    )
  }
  return storage.kind === "sqlite" && schema !== settings.schema.default
    ? Effect.fail(
        new UsageError({ message: "--schema and PETSTORE_SCHEMA are for PostgreSQL; on SQLite use --table-prefix" })
      )
    : Effect.void
}

/** The storage of a database; the file or the schema is created or migrated if needed. */
export const createdStorage = (database: Database): Effect.Effect<StorageAdapter, UsageError> => {
  const { schema, storage, tablePrefix } = database
  return Effect.andThen(
    checkSettings(database),
    storage.kind === "postgres"
      ? Effect.map(postgresServer, ({ schemaStorage }) => schemaStorage({ storage, schema }, { migrate: true }))
      : Effect.flatMap(sqliteFile, ({ createdFile }) => createdFile({ storage, tablePrefix }))
  )
}

/** The storage of a database that must exist: a mistyped name creates none, and nothing is migrated. `flag` names it. */
export const existingStorage = (database: Database, flag = "--storage"): Effect.Effect<StorageAdapter, UsageError> => {
  const { schema, storage, tablePrefix } = database
  return Effect.andThen(
    checkSettings(database),
    storage.kind === "postgres"
      ? Effect.map(postgresServer, ({ schemaStorage }) => schemaStorage({ storage, schema }, { migrate: false }))
      : Effect.flatMap(sqliteFile, ({ existingFile }) => existingFile({ storage, tablePrefix }, flag))
  )
}

type OpenPetstore = Layer.Layer<
  Layer.Success<ReturnType<typeof Petstore.layer>>,
  UsageError | SubcommandFailed | DatabaseUnreachable | StorageError
>

const open = (
  { schema, storage }: Database,
  opened: Effect.Effect<StorageAdapter, UsageError>,
  options?: EngineOptions
): OpenPetstore => {
  const layer = Layer.unwrap(Effect.map(opened, (adapter) => Petstore.layer(adapter, options)))
  if (storage.kind === "sqlite") return layer
  return Layer.unwrap(Effect.map(postgresServer, ({ explained }) => explained({ storage, schema }, layer)))
}

/** Opens the petstore on a database; the file or the schema is created or migrated if needed. */
export const openOrCreate = (database: Database, options?: EngineOptions) =>
  open(database, createdStorage(database), options)

/** Migrates a database. A file must exist, unless it may be created: a mistyped path creates none. */
export const migrated = (database: Database, mayCreate: boolean) => {
  const { storage, tablePrefix } = database
  const check =
    storage.kind === "postgres" || mayCreate
      ? Effect.void
      : Effect.flatMap(sqliteFile, ({ checkMigrated }) => checkMigrated({ storage, tablePrefix }))
  return Effect.andThen(check, Effect.scoped(Layer.build(openOrCreate(database))))
}

/** Opens the petstore on a database that must exist: a mistyped name creates nothing, and nothing is migrated. */
export const openExisting = (database: Database, options?: EngineOptions) =>
  open(database, existingStorage(database), options)

/** Lists the migrations of this release and of the database, and changes nothing. */
export const migrationStateOf = (database: Database) => {
  const { schema, storage, tablePrefix } = database
  return storage.kind === "postgres"
    ? Effect.flatMap(postgresServer, ({ migrationsOfSchema }) => migrationsOfSchema({ storage, schema }))
    : Effect.flatMap(sqliteFile, ({ migrationsOfFile }) => migrationsOfFile({ storage, tablePrefix }))
}

type Opening = UsageError | SubcommandFailed | DatabaseUnreachable | StorageError

/** The SQL that would migrate the database; undefined if its schema is up to date. Changes nothing. */
export const migrationSqlOf = (database: Database): Effect.Effect<string | undefined, Opening> => {
  const { schema, storage, tablePrefix } = database
  const sql: Effect.Effect<string | undefined, Opening> =
    storage.kind === "postgres"
      ? Effect.flatMap(postgresServer, ({ migrationSqlOfSchema }) => migrationSqlOfSchema({ storage, schema }))
      : Effect.flatMap(sqliteFile, ({ migrationSqlOfFile }) => migrationSqlOfFile({ storage, tablePrefix }))
  return Effect.andThen(checkSettings(database), sql)
}

/** What differs from the schema of this release, with the statements that mend it. Changes nothing. */
export const schemaProblemsOf = (database: Database): Effect.Effect<ReadonlyArray<SchemaProblem>, Opening> => {
  const { schema, storage, tablePrefix } = database
  const problems: Effect.Effect<ReadonlyArray<SchemaProblem>, Opening> = storage.kind === "postgres"
    ? Effect.flatMap(postgresServer, ({ problemsOfSchema }) => problemsOfSchema({ storage, schema }))
    : Effect.flatMap(sqliteFile, ({ problemsOfFile }) => problemsOfFile({ storage, tablePrefix }))
  return Effect.andThen(checkSettings(database), problems)
}
