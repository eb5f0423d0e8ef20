import { statSync } from "node:fs"
import { dirname } from "node:path"
import type { Durability } from "@petstore/adapters/postgres"
import { migrationSql, migrationState, schemaProblems, sqlite } from "@petstore/adapters/sqlite"
import * as Effect from "effect/Effect"
import { UsageError } from "./errors.ts"
import type { DatabaseFile } from "./settings.ts"

/** An SQLite file, and the prefix of its table names. */
interface SqliteDatabase {
  readonly storage: DatabaseFile
  readonly tablePrefix: string
}

/** What is at a path. What cannot be reached, such as a loop of links, is left to the storage, which says why. */
const kindOf = (path: string): "file" | "folder" | undefined => {
  try {
    const entry = statSync(path, { throwIfNoEntry: false })
    return entry === undefined ? undefined : entry.isDirectory() ? "folder" : "file"
  } catch {
    return "file"
  }
}

/** Fails if no database file can be created or opened at a path. */
export const checkPlace = ({ file }: DatabaseFile): Effect.Effect<void, UsageError> =>
  Effect.suspend(() => {
    if (kindOf(file) === "folder") {
      const message = `${JSON.stringify(file)} is a directory, not a file; name a file in it, such as petstore.db`
      return Effect.fail(new UsageError({ message }))
    }
    const folder = kindOf(dirname(file))
    const problem =
      folder === undefined ? "does not exist; create it, or correct the path" : "is a file; correct the path"
    return folder === "folder"
      ? Effect.void
      : Effect.fail(new UsageError({ message: `The directory ${JSON.stringify(dirname(file))} ${problem}` }))
  })

/** Fails if there is no file. `remedy` says what to do. */
const checkExists = ({ file }: DatabaseFile, remedy: string): Effect.Effect<void, UsageError> =>
  Effect.suspend(() =>
    kindOf(file) === undefined
      ? Effect.fail(new UsageError({ message: `The database ${JSON.stringify(file)} does not exist; ${remedy}` }))
      : Effect.void
  )

const onOneMachine: Durability = {
  survives: "no",
  conclusion:
    "No: the file is on this machine only. An acknowledged order survives a crash of the process and of the operating system. For the loss of the disk, copy the file with petstore backup, or use PostgreSQL with a synchronous standby.",
  primaries: [],
  findings: []
}

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
    script: (lines: ReadonlyArray<string>) => lines.join("\n"),
    durability: Effect.as(existing("--storage"), onOneMachine),
    explained: <A>(petstore: A) => petstore
  }
}
