import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { InternalError } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { Effect } from "effect"
import { nodeSqlite } from "./nodeSqlite.ts"
import type { Snapshots } from "./Snapshots.ts"

const failed = (file: string, why: unknown): InternalError =>
  new InternalError({}, { message: `Cannot write ${file}: ${why instanceof Error ? why.message : why}`, cause: why })

/**
 * Copies what is committed now to a new file. The copy is made under another name beside it and renamed when it is
 * whole, so that a file of this name is always a good one.
 */
export const backup = (snapshots: Snapshots, file: string): Effect.Effect<void, StorageError> => {
  const partial = `${file}.${randomUUID()}.partial`
  return Effect.acquireUseRelease(
    snapshots.begin,
    ({ connection }) =>
      Effect.tryPromise({
        try: async () => {
          if (existsSync(file)) throw new Error("there is such a file already. Name one that does not exist.")
          // From within a snapshot: a copy of the live state would start again with every commit.
          await nodeSqlite().backup(connection.database, partial, { rate: 1000 })
          await rename(partial, file)
        },
        catch: (cause) => failed(file, cause)
      }),
    (session) => snapshots.end(session)
  ).pipe(
    Effect.onError(() => Effect.promise(() => rm(partial, { force: true }))),
    Effect.uninterruptible
  )
}
