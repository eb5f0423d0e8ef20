import { statSync } from "node:fs"
import { dirname } from "node:path"
import { migrationSql, migrationState, schemaProblems, sqlite } from "@petstore/adapters/sqlite"
import * as Effect from "effect/Effect"
import { UsageError } from "./errors.ts"
import type { DatabaseFile } from "./settings.ts"

/** An SQLite file, and the prefix of its table names. */
interface SqliteDatabase {
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

/** What subcommands do with a file. */
export const fileAccess = ({ storage, tablePrefix }: SqliteDatabase) => {
  const { file } = storage
  const existing = (flag: string) =>
    checkPlace(storage).pipe(
      Effect.andThen(checkExists(storage, `name an existing one with ${flag} sqlite:FILE`)),
      Effect.map(() => sqlite({ file, tablePrefix, migrate: false }))
    )
  return {
    created: Effect.map(checkPlace(storage), () => sqlite({ file, tablePrefix })),
    existing,
    // Its path may be mistyped.
    checkMigrated: Effect.andThen(
      checkPlace(storage),
      checkExists(storage, "correct its path, or create it with --create")
    ),
    migrations: migrationState(file, { tablePrefix }),
    migrationSql: Effect.andThen(checkPlace(storage), migrationSql(file, { tablePrefix })),
    problems: Effect.andThen(existing("--storage"), schemaProblems(file, { tablePrefix })),
    explained: <A>(petstore: A) => petstore
  }
}
