import { ShuttingDown, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { GroupCommit } from "./GroupCommit.ts"
import type { WriteHealth } from "./WriteHealth.ts"

/** Finds out whether the store can be written to, by writing where no other write of the last second has shown it. */
export class Readiness {
  private readonly commits: GroupCommit
  private readonly health: WriteHealth
  private readonly write: Effect.Effect<void, StorageError>
  private running: Fiber.Fiber<void, StorageError> | undefined

  /** `write`: a small transaction that changes something. */
  constructor(commits: GroupCommit, health: WriteHealth, write: Effect.Effect<void, StorageError>) {
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
