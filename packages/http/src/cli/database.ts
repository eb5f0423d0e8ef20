import type { Durability, MigrationState, SchemaProblem } from "@petstore/adapters/postgres"
import type { ListIndex } from "@petstore/core/domain"
import { Petstore, type RuntimeOptions, type StorageAdapter, type StorageError } from "@petstore/core/effect"
import { SchemaProgress, Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type DatabaseUnreachable, type SubcommandFailed, UsageError } from "./errors.ts"
import type { Database } from "./settings.ts"
import * as settings from "./settings.ts"
import { Progress } from "./terminal/Progress.ts"
import { style } from "./terminal/text.ts"

type Opening = UsageError | SubcommandFailed | DatabaseUnreachable | StorageError

type OpenPetstore = Layer.Layer<Layer.Success<ReturnType<typeof Petstore.layer>>, Opening>

/** What subcommands do with a database, of whichever kind. */
interface DatabaseAccess {
  /** Its storage; the file or the schema is created or migrated if needed. */
  readonly created: Effect.Effect<StorageAdapter, UsageError>
  /** Its storage if it exists; nothing is migrated. `flag` names it. */
  readonly existing: (flag: string) => Effect.Effect<StorageAdapter, UsageError>
  /** Fails if it would have to be created. */
  readonly checkMigrated: Effect.Effect<void, UsageError>
  readonly migrations: Effect.Effect<ReadonlyArray<MigrationState>, Opening>
  readonly migrationSql: Effect.Effect<string | undefined, Opening>
  readonly problems: Effect.Effect<ReadonlyArray<SchemaProblem>, Opening>
  /** Comments and statements as what to run. */
  readonly script: (lines: ReadonlyArray<string>) => string
  readonly durability: Effect.Effect<Durability, Opening>
  /** Explains why a petstore on it cannot be opened. */
  readonly explained: (petstore: OpenPetstore) => OpenPetstore
}

/** Each kind is loaded when it is used: a server on PostgreSQL needs no SQLite, and the other way round. */
const sqliteFile = Effect.promise(() => import("./sqliteFile.ts"))
const postgresServer = Effect.promise(() => import("./postgresServer.ts"))

const refuse = (message: string) => Effect.fail(new UsageError({ message }))

/** Loads what a database needs. Fails for a setting that its kind does not have: ignoring it would use other tables than meant. */
const accessTo = ({ schema, storage, tablePrefix }: Database): Effect.Effect<DatabaseAccess, UsageError> => {
  if (storage.kind === "postgres") {
    return tablePrefix === settings.tablePrefix.default
      ? Effect.flatMap(postgresServer, ({ schemaAccess }) =>
          // The adapter rejects a parameter of the URL that nobody reads.
          Effect.try({
            try: () => schemaAccess({ storage, schema }),
            catch: (error) => new UsageError({ message: error instanceof Error ? error.message : String(error) })
          })
        )
      : refuse("--table-prefix and PETSTORE_TABLE_PREFIX are for SQLite; on PostgreSQL use --schema")
  }
  return schema === settings.schema.default
    ? Effect.map(sqliteFile, ({ fileAccess }) => fileAccess({ storage, tablePrefix }))
    : refuse("--schema and PETSTORE_SCHEMA are for PostgreSQL; on SQLite use --table-prefix")
}

/** The storage of a database; the file or the schema is created or migrated if needed. */
export const createdStorage = (database: Database) => Effect.flatMap(accessTo(database), ({ created }) => created)

/** The storage of a database that must exist: a mistyped name creates none, and nothing is migrated. `flag` names it. */
export const existingStorage = (database: Database, flag: string) =>
  Effect.flatMap(accessTo(database), ({ existing }) => existing(flag))

/** Shows the progress of what opening a database changes. */
const withSchemaProgress = <A, E, R>(opening: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(style, (apply) => {
    const progress = new Progress(process.stderr, { now: () => performance.now(), style: apply })
    return opening.pipe(
      Effect.provideService(SchemaProgress, (done, share) => progress.show(done, share, true)),
      Effect.ensuring(Effect.sync(() => progress.clear()))
    )
  })

const open = (
  database: Database,
  storageOf: (access: DatabaseAccess) => Effect.Effect<StorageAdapter, UsageError>,
  options?: RuntimeOptions
): OpenPetstore =>
  Layer.unwrap(
    Effect.map(accessTo(database), (access) =>
      Layer.effectContext(
        withSchemaProgress(
          Layer.build(
            access.explained(
              Layer.unwrap(Effect.map(storageOf(access), (storage): OpenPetstore => Petstore.layer(storage, options)))
            )
          )
        )
      )
    )
  )

/** Opens the petstore on a database; the file or the schema is created or migrated if needed. */
export const openOrCreate = (database: Database, options?: RuntimeOptions) =>
  open(database, ({ created }) => created, options)

/** Opens the petstore on a database that must exist: a mistyped name creates nothing, and nothing is migrated. */
export const openExisting = (database: Database, options?: RuntimeOptions) =>
  open(database, ({ existing }) => existing("--storage"), options)

/**
 * Migrates a database, and gives it these indexes of lists and no others if there are any. A file must exist, unless it may be created: a
 * mistyped path creates none.
 */
export const migrated = (database: Database, mayCreate: boolean, indexes?: ReadonlyArray<ListIndex>) =>
  Effect.andThen(
    mayCreate ? Effect.void : Effect.flatMap(accessTo(database), ({ checkMigrated }) => checkMigrated),
    Effect.scoped(
      Effect.flatMap(Layer.build(openOrCreate(database)), (services) => {
        const { buildIndexes } = Context.get(services, Storage)
        return indexes === undefined || buildIndexes === undefined
          ? Effect.void
          : withSchemaProgress(buildIndexes(indexes, { dropsOthers: true }))
      })
    )
  )

/** Lists the migrations of this release and of the database, and changes nothing. */
export const migrationStateOf = (database: Database) =>
  Effect.flatMap(accessTo(database), ({ migrations }) => migrations)

/** The SQL that would migrate the database; undefined if its schema is up to date. Changes nothing. */
export const migrationSqlOf = (database: Database) =>
  Effect.flatMap(accessTo(database), ({ migrationSql }) => migrationSql)

/** What differs from the schema of this release, as SQL that mends it; undefined if nothing does. Changes nothing. */
export const schemaRepairOf = (database: Database) =>
  Effect.flatMap(accessTo(database), ({ problems, script }) =>
    Effect.map(problems, (all) =>
      all.length === 0 ? undefined : script(all.flatMap(({ problem, statements }) => [`-- ${problem}`, ...statements]))
    )
  )

/** Whether an acknowledged order survives the loss of a machine, and what decides it. Changes nothing. */
export const durabilityOf = (database: Database) => Effect.flatMap(accessTo(database), ({ durability }) => durability)
