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

/** Fails where no database can be made or opened there. */
export const checkPlace = ({ file }: DatabaseFile): Effect.Effect<void, UsageError> =>
  Effect.suspend(() => {
    if (kindOf(file) === "folder") {
      return Effect.fail(new UsageError({ message: `${JSON.stringify(file)} is a directory, not a file` }))
    }
    return kindOf(dirname(file)) === "folder"
      ? Effect.void
      : Effect.fail(new UsageError({ message: `There is no directory ${JSON.stringify(dirname(file))} for the file` }))
  })

/** The petstore on a database that is made, or brought up to date, where it has to be. */
export const openOrCreate = ({ storage, tablePrefix }: Database) =>
  Layer.unwrap(Effect.as(checkPlace(storage), Petstore.layer(sqlite({ file: storage.file, tablePrefix }))))

/** The petstore on a database that must be there: a mistyped name makes no new one, and reading changes no schema. */
export const openExisting = ({ storage, tablePrefix }: Database) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* checkPlace(storage)
      if (kindOf(storage.file) === undefined) {
        return yield* new UsageError({
          message: `There is no database ${JSON.stringify(storage.file)}; name it with --storage sqlite:FILE`
        })
      }
      return Petstore.layer(sqlite({ file: storage.file, tablePrefix, migrate: false }))
    })
  )
