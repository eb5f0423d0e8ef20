import { ShuttingDown, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Asked, execute, type Program } from "../../sql/Program.ts"
import type { DurabilityMonitor } from "./DurabilityMonitor.ts"
import { hasDiskSpace } from "./diskSpace.ts"
import type { GroupCommit } from "./GroupCommit.ts"

const upsert = execute(`INSERT INTO petstore_write_check (id, checked_at) VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at`)

/** Updates a row that exists only to be written. */
export const writeCheck = (): Program<void> => new Asked(upsert, [new Date().toISOString()])

/** Bytes that must be free after a write had no room: more than nearly every commit takes. */
const freeBytes = 1024 * 1024

/** Checks whether the store can be written to: by a write, unless another one of the last second has shown it. `BEGIN IMMEDIATE` succeeds on a full disk and a deleted file. */
export class Readiness {
  private readonly commits: GroupCommit
  private readonly monitor: DurabilityMonitor
  private readonly file: string
  private readonly write: Effect.Effect<void, StorageError>
  private running: Fiber.Fiber<void, StorageError> | undefined

  /** `write`: a small transaction that changes something. */
  constructor(
    commits: GroupCommit,
    monitor: DurabilityMonitor,
    file: string,
    write: Effect.Effect<void, StorageError>
  ) {
    this.commits = commits
    this.monitor = monitor
    this.file = file
    this.write = write
  }

  /** See `Storage.ready`. */
  readonly check: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    if (this.commits.closed) return Effect.fail(new ShuttingDown({}))
    const lost = this.commits.refusal()
    if (lost !== undefined) return Effect.fail(lost)
    const full = this.monitor.fullDisk
    if (full !== undefined) {
      if (!hasDiskSpace(this.file, freeBytes)) return Effect.fail(full)
      this.monitor.hasRoom()
    }
    return this.monitor.isFresh ? Effect.void : this.sharedWrite
  })

  /** One write at a time, which concurrent checks share. It continues if they are interrupted. */
  private readonly sharedWrite: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    this.running ??= Effect.runFork(
      this.write.pipe(
        // The outcome of this write itself does not matter.
        Effect.catchTag("CommitUnknown", ({ cause }) => Effect.fail(new StorageUnavailable({}, { cause }))),
        Effect.ensuring(Effect.sync(() => (this.running = undefined)))
      )
    )
    return Fiber.join(this.running)
  })
}
