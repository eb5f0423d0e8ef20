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

/** The storage of a file, which is created or migrated if needed. */
export const createdFile = ({ storage, tablePrefix }: SqliteDatabase): Effect.Effect<StorageAdapter, UsageError> =>
  Effect.map(checkPlace(storage), () => sqlite({ file: storage.file, tablePrefix }))

/** The storage of a file that must exist. `flag` names it. */
export const existingFile = (
  { storage, tablePrefix }: SqliteDatabase,
  flag: string
): Effect.Effect<StorageAdapter, UsageError> =>
  Effect.gen(function* () {
    yield* checkPlace(storage)
    if (kindOf(storage.file) === undefined) {
      return yield* new UsageError({
        message: `The database ${JSON.stringify(storage.file)} does not exist; name an existing one with ${flag} sqlite:FILE`
      })
    }
    return sqlite({ file: storage.file, tablePrefix, migrate: false })
  })

/** Lists the migrations of this release and of a file. */
export const migrationsOfFile = ({ storage, tablePrefix }: SqliteDatabase) =>
  migrationState(storage.file, { tablePrefix })

/** The SQL that would migrate a file; undefined if it is up to date. */
export const migrationSqlOfFile = ({ storage, tablePrefix }: SqliteDatabase) =>
  Effect.andThen(checkPlace(storage), migrationSql(storage.file, { tablePrefix }))

/** What differs in a file from the schema of this release. */
export const problemsOfFile = (database: SqliteDatabase) =>
  Effect.andThen(existingFile(database, "--storage"), schemaProblems(database.storage.file, database))
