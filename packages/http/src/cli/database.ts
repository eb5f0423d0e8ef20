import { statSync } from "node:fs"
import { dirname } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { Petstore } from "@petstore/core/effect"
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

/** Opens the petstore on a database, which is created or migrated if needed. */
export const openOrCreate = ({ storage, tablePrefix }: Database) =>
  Layer.unwrap(Effect.as(checkPlace(storage), Petstore.layer(sqlite({ file: storage.file, tablePrefix }))))

/** Opens the petstore on a database that must exist: a mistyped name creates none, and nothing is migrated. */
export const openExisting = ({ storage, tablePrefix }: Database) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* checkPlace(storage)
      if (kindOf(storage.file) === undefined) {
        return yield* new UsageError({
          message: `The database ${JSON.stringify(storage.file)} does not exist; name an existing one with --storage sqlite:FILE`
        })
      }
      return Petstore.layer(sqlite({ file: storage.file, tablePrefix, migrate: false }))
    })
  )
