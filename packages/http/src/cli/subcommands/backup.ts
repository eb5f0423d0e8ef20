import { existsSync, statSync } from "node:fs"
import { Petstore } from "@petstore/core/effect"
import { BackupProgress } from "@petstore/core/ports"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openExisting } from "../database.ts"
import { UsageError } from "../errors.ts"
import type { Database } from "../settings.ts"
import { checkPlace } from "../sqliteFile.ts"
import { untilStopped } from "../stopSignal.ts"
import { Progress } from "../terminal/Progress.ts"
import { style } from "../terminal/text.ts"

interface BackupInput {
  readonly database: Database
  readonly file: string
}

const copy = (file: string) =>
  Effect.gen(function* () {
    const { backup } = yield* Petstore
    if (backup === undefined) return yield* Effect.die(new Error("A store with a file has a backup"))
    const progress = new Progress(process.stderr, { now: () => performance.now(), style: yield* style })
    yield* backup(file).pipe(
      Effect.provideService(BackupProgress, (share) => progress.show("copied", share)),
      Effect.ensuring(Effect.sync(() => progress.clear()))
    )
  })

/** PostgreSQL has its own tools, which copy a running database consistently. The URL is not repeated: it may have a password. */
const useServerTools = ({ schema }: Database, file: string) =>
  new UsageError({
    message: `petstore backup copies SQLite files. Back up PostgreSQL with its own tools: pg_dump --format=custom --schema=${schema} --file=${JSON.stringify(file)} "$PETSTORE_STORAGE"; restore with pg_restore`
  })

/** Copies the database to a new file, and prints its size. */
export const run = ({ database, file }: BackupInput) =>
  Effect.gen(function* () {
    if (database.storage.kind === "postgres") return yield* useServerTools(database, file)
    if (existsSync(file)) {
      return yield* new UsageError({ message: `${JSON.stringify(file)} exists already; name a new file` })
    }
    yield* checkPlace({ kind: "sqlite", file })
    yield* untilStopped(Effect.provide(copy(file), openExisting(database))).pipe(
      Effect.catchTag("Stopped", (stopped) =>
        // The file gets its name when it is complete, so a signal after that changes nothing.
        existsSync(file) ? Effect.void : Effect.fail(stopped)
      )
    )
    yield* Console.log(`${file}: ${statSync(file).size} bytes`)
  })
