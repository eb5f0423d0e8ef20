import { statSync } from "node:fs"
import { dirname } from "node:path"
import { migrationSql, migrationState, schemaProblems, sqlite } from "@petstore/adapters/sqlite"
import type { StorageAdapter } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import { UsageError } from "./errors.ts"
import type { DatabaseFile } from "./settings.ts"

/** An SQLite file, and the prefix of its table names. */
export interface SqliteDatabase {
  readonly storage: DatabaseFile
  readonly tablePrefix: string
}

const kindOf = (path: string): "file" | "folder" | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : found.isDirectory() ? "folder" : "file"
}

/** Fails if no database file can be created or opened at a path. */
export const checkPlace = ({ file }: DatabaseFile): Effect.Effect<void, UsageError> =>
  Effect.suspend(() => {
    if (kindOf(file) === "folder") {
      return Effect.fail(new UsageError({ message: `${JSON.stringify(file)} is a directory, not a file` }))
    }
    return kindOf(dirname(file)) === "folder"
      ? Effect.void
      : Effect.fail(new UsageError({ message: `The directory ${JSON.stringify(dirname(file))} does not exist` }))
  })

/** Fails if there is no file. `remedy` says what to do. */
const checkExists = ({ file }: DatabaseFile, remedy: string): Effect.Effect<void, UsageError> =>
  Effect.suspend(() =>
    kindOf(file) === undefined
      ? Effect.fail(new UsageError({ message: `The database ${JSON.stringify(file)} does not exist; ${remedy}` }))
      : Effect.void
  )

/** The storage of a file, which is created or migrated if needed. */
export const createdFile = ({ storage, tablePrefix }: SqliteDatabase): Effect.Effect<StorageAdapter, UsageError> =>
  Effect.map(checkPlace(storage), () => sqlite({ file: storage.file, tablePrefix }))

/** Fails if `migrate` would create a file: its path may be mistyped. */
export const checkMigrated = ({ storage }: SqliteDatabase): Effect.Effect<void, UsageError> =>
  Effect.andThen(checkPlace(storage), checkExists(storage, "correct its path, or create it with --create"))

/** The storage of a file that must exist and is not migrated. `flag` names it. */
export const existingFile = (
  { storage, tablePrefix }: SqliteDatabase,
  flag: string
): Effect.Effect<StorageAdapter, UsageError> =>
  checkPlace(storage).pipe(
    Effect.andThen(checkExists(storage, `name an existing one with ${flag} sqlite:FILE`)),
    Effect.map(() => sqlite({ file: storage.file, tablePrefix, migrate: false }))
  )

/** Lists the migrations of this release and of a file. */
export const migrationsOfFile = ({ storage, tablePrefix }: SqliteDatabase) =>
  migrationState(storage.file, { tablePrefix })

/** The SQL that would migrate a file; undefined if it is up to date. */
export const migrationSqlOfFile = ({ storage, tablePrefix }: SqliteDatabase) =>
  Effect.andThen(checkPlace(storage), migrationSql(storage.file, { tablePrefix }))

/** What differs in a file from the schema of this release. */
export const problemsOfFile = (database: SqliteDatabase) =>
  Effect.andThen(existingFile(database, "--storage"), schemaProblems(database.storage.file, database))
