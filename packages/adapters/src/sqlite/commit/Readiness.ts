import { ShuttingDown, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { SqliteSql } from "../statements/SqliteSql.ts"
import type { DurabilityMonitor } from "./DurabilityMonitor.ts"
import type { GroupCommit } from "./GroupCommit.ts"

const upsert = `INSERT INTO petstore_write_check (id, checked_at) VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at`

/** Updates a row that exists only to be written; a part of a transaction. */
export const writeCheck = (sql: SqliteSql): Effect.Effect<void, StorageError, Transaction> => {
  const write = sql.shortcut(upsert)
  return Effect.suspend(() => Effect.asVoid(write(new Date().toISOString())))
}

/** Finds out whether the store can be written to, by writing where no other write of the last second has shown it. */
export class Readiness {
  private readonly commits: GroupCommit
  private readonly health: DurabilityMonitor
  private readonly write: Effect.Effect<void, StorageError>
  private running: Fiber.Fiber<void, StorageError> | undefined

  /** `write`: a small transaction that changes something. */
  constructor(commits: GroupCommit, health: DurabilityMonitor, write: Effect.Effect<void, StorageError>) {
    this.commits = commits
    this.health = health
    this.write = write
  }

  /** See `Storage.ready`. */
  readonly check: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    if (this.commits.closed) return Effect.fail(new ShuttingDown({}))
    const lost = this.commits.refusal()
    if (lost !== undefined) return Effect.fail(lost)
    return this.health.isFresh ? Effect.void : this.sharedWrite
  })

  /** One write at a time, for all who ask meanwhile. It goes on if they do not wait for it. */
  private readonly sharedWrite: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    this.running ??= Effect.runFork(
      this.write.pipe(
        // Whether this write was made matters to nobody.
        Effect.catchTag("CommitUnknown", ({ cause }) => Effect.fail(new StorageUnavailable({}, { cause }))),
        Effect.ensuring(Effect.sync(() => (this.running = undefined)))
      )
    )
    return Fiber.join(this.running)
  })
}
