import { statSync } from "node:fs"
import { dirname } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { Petstore } from "@petstore/core/effect"
import { Effect, Layer } from "effect"
import { UsageError } from "./CommandError.ts"
import type { DatabaseFile } from "./settings.ts"

const kindOf = (path: string): "file" | "folder" | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : found.isDirectory() ? "folder" : "file"
}

/** Fails where no database can be made or opened there. */
export const checkPlace = ({ file }: DatabaseFile): Effect.Effect<void, UsageError> =>
  Effect.suspend(() => {
    if (kindOf(file) === "folder") {
      return Effect.fail(new UsageError({ message: `${JSON.stringify(file)} is a folder, not a file` }))
    }
    return kindOf(dirname(file)) === "folder"
      ? Effect.void
      : Effect.fail(new UsageError({ message: `There is no folder ${JSON.stringify(dirname(file))} for the file` }))
  })

/** The petstore on a database that is made, or brought up to date, where it has to be. */
export const openOrCreate = (database: DatabaseFile) =>
  Layer.unwrap(Effect.as(checkPlace(database), Petstore.layer(sqlite(database.file))))

/** The petstore on a database that must be there: a mistyped name makes no new one, and reading changes no schema. */
export const openExisting = (database: DatabaseFile) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* checkPlace(database)
      if (kindOf(database.file) === undefined) {
        return yield* new UsageError({
          message: `There is no database ${JSON.stringify(database.file)}; name it with --storage sqlite:FILE`
        })
      }
      return Petstore.layer(sqlite({ file: database.file, migrate: false }))
    })
  )
