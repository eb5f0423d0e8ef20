import { statSync } from "node:fs"
import { dirname } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { Petstore, type StorageAdapter } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UsageError } from "./errors.ts"
import type { Database, DatabaseFile } from "./settings.ts"

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

/** The storage of a database, which is created or migrated if needed. */
export const createdStorage = ({ storage, tablePrefix }: Database): Effect.Effect<StorageAdapter, UsageError> =>
  Effect.map(checkPlace(storage), () => sqlite({ file: storage.file, tablePrefix }))

/** The storage of a database that must exist: a mistyped name creates none, and nothing is migrated. `flag` names it. */
export const existingStorage = (
  { storage, tablePrefix }: Database,
  flag = "--storage"
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

/** Opens the petstore on a database, which is created or migrated if needed. */
export const openOrCreate = (database: Database) =>
  Layer.unwrap(Effect.map(createdStorage(database), (adapter) => Petstore.layer(adapter)))

/** Opens the petstore on a database that must exist. Nothing is migrated. */
export const openExisting = (database: Database) =>
  Layer.unwrap(Effect.map(existingStorage(database), (adapter) => Petstore.layer(adapter)))
