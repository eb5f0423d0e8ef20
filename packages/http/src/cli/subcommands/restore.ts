import { constants, existsSync, realpathSync, statSync } from "node:fs"
import { chmod, chown, copyFile, link, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { Petstore } from "@petstore/core/effect"
import { VerificationProgress } from "@petstore/core/ports"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openExisting } from "../database.ts"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { describe } from "../exitStatus.ts"
import type { Database } from "../settings.ts"
import { checkPlace } from "../sqliteFile.ts"
import { Progress } from "../terminal/Progress.ts"
import { style } from "../terminal/text.ts"

interface RestoreInput {
  readonly database: Database
  readonly backup: string
}

const besides = ["-wal", "-shm", "-head"]

const usePgRestore = ({ schema }: Database, backup: string) =>
  new UsageError({
    message: `petstore restore is for SQLite files. Restore PostgreSQL with its own tools: stop all servers, drop the schema ${schema}, then pg_restore --dbname="$PETSTORE_STORAGE" ${JSON.stringify(backup)}`
  })

const fileStep = <A>(step: () => Promise<A>): Effect.Effect<A, UsageError | SubcommandFailed> =>
  Effect.tryPromise({
    try: step,
    catch: (error) =>
      error instanceof UsageError
        ? error
        : new SubcommandFailed({ message: `Cannot restore: ${error instanceof Error ? error.message : error}` })
  })

/** Rejects if a process has the database open. Moves the log of a database that was not closed into its file. */
const requireUnused = async (file: string): Promise<void> => {
  const { DatabaseSync } = await import("node:sqlite")
  try {
    const database = new DatabaseSync(file)
    try {
      // Fails while another connection is open, even if that does nothing.
      database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK")
    } finally {
      database.close()
    }
  } catch (error) {
    const code = Object(error).errcode & 0xff
    if (code !== 5 && code !== 6) return
    throw new UsageError({
      message: `A process uses ${JSON.stringify(file)}. Stop the server and every other process on it; nothing was changed`
    })
  }
}

/** Opens a copy as a petstore and checks every invariant. Returns how many there are. */
const verified = (database: Database, copy: string, backup: string) =>
  Effect.gen(function* () {
    const progress = new Progress(process.stderr, { now: () => performance.now(), style: yield* style })
    const { checks, ok } = yield* Effect.flatMap(Petstore, ({ verify }) => verify).pipe(
      Effect.provideService(VerificationProgress, (share) => progress.show("verified", share)),
      Effect.ensuring(Effect.sync(() => progress.clear())),
      Effect.provide(openExisting({ ...database, storage: { kind: "sqlite", file: copy } })),
      Effect.mapError(
        (error) => new SubcommandFailed({ message: `${describe(error).replaceAll(copy, backup)} Nothing was changed` })
      )
    )
    if (ok) return checks.length
    return yield* new SubcommandFailed({
      message: `${JSON.stringify(backup)} breaks invariants: petstore verify names them. Restore another backup; nothing was changed`
    })
  })

/** Gives the copy the owner and mode of the database, so that its server can open it. */
const copied = async (backup: string, copy: string, file: string): Promise<void> => {
  await copyFile(backup, copy, constants.COPYFILE_FICLONE)
  const former = statSync(file, { throwIfNoEntry: false })
  if (former !== undefined) {
    await chmod(copy, former.mode & 0o777)
    await chown(copy, former.uid, former.gid)
  }
}

const synced = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  await handle.sync()
  await handle.close()
}

/** Keeps the former database under another name, and puts the copy in its place, at once: there is always one of them. */
const exchanged = async (file: string, copy: string, former: string): Promise<void> => {
  await synced(copy)
  if (existsSync(file)) await link(file, former)
  for (const suffix of besides) if (existsSync(file + suffix)) await rename(file + suffix, former + suffix)
  await rename(copy, file)
  await synced(dirname(file))
}

/** Puts a backup in the place of a database, after checking it. The former database stays beside it. */
export const run = Effect.fnUntraced(function* ({ backup, database }: RestoreInput) {
  if (database.storage.kind === "postgres") return yield* usePgRestore(database, backup)
  yield* checkPlace(database.storage)
  const given = database.storage.file
  const file = existsSync(given) ? realpathSync(given) : given
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true) {
    return yield* new UsageError({ message: `There is no file ${JSON.stringify(backup)}` })
  }
  if (realpathSync(backup) === file) {
    return yield* new UsageError({ message: "The backup is the database itself; name another file" })
  }
  if (existsSync(`${backup}-wal`)) {
    return yield* new UsageError({
      message: `${JSON.stringify(backup)} has a -wal beside it, so it is a database in use, not a backup. Copy it with petstore backup`
    })
  }
  const former = `${file}.before-${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}`
  const copy = `${file}.restored`
  const remove = Effect.promise(() => Promise.all(["", ...besides].map((suffix) => rm(copy + suffix, { force: true }))))
  const restoring = Effect.gen(function* () {
    if (existsSync(file)) yield* fileStep(() => requireUnused(file))
    yield* fileStep(() => copied(backup, copy, file))
    const invariants = yield* verified(database, copy, backup)
    yield* fileStep(() => rm(`${copy}-head`, { force: true }))
    // Another process may have opened it meanwhile.
    if (existsSync(file)) yield* fileStep(() => requireUnused(file))
    const hadFormer = existsSync(file)
    yield* Effect.uninterruptible(fileStep(() => exchanged(file, copy, former)))
    yield* Console.log(
      `${file}: restored from ${backup}, 0 violations of ${invariants} invariants${hadFormer ? `\nThe former database is ${former}` : ""}`
    )
  })
  yield* Effect.ensuring(restoring, remove)
})
