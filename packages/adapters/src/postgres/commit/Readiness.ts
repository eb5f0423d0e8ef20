import { StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { isConnectionLoss } from "../connection/errors.ts"

/** Milliseconds for which a durable write shows that the next one can be durable. */
const freshMillis = 1000

/** Milliseconds that a check takes at most: who asks does not wait for long. */
const patienceMillis = 2_000

const late = `The database has not responded to a check for ${patienceMillis} milliseconds: it may hang, or wait for its standbys.`

/** Fails a check that takes too long. What it waits for goes on. */
export const inTime = (check: Effect.Effect<void, StorageError>): Effect.Effect<void, StorageError> =>
  Effect.timeoutOrElse(check, {
    duration: patienceMillis,
    orElse: () => Effect.fail(new StorageUnavailable({}, { message: late }))
  })

/** Checks whether the store can be written to: by a write, unless another one of the last second has shown it. */
export class Readiness {
  private readonly write: Effect.Effect<void, StorageError>
  private durableAt = Number.NEGATIVE_INFINITY
  private running: Fiber.Fiber<void, StorageError> | undefined

  /** `write`: a small transaction that changes something. */
  constructor(write: Effect.Effect<void, StorageError>) {
    this.write = write
  }

  /** Records that changes became durable. */
  readonly durable = (): void => {
    this.durableAt = performance.now()
  }

  /** Records that changes could not be made durable. A lock, or a lack of free connections, reveals nothing about the server. */
  readonly failed = (reason: StorageError): void => {
    const isLoss = reason.cause !== undefined && isConnectionLoss(reason.cause)
    if (reason._tag !== "StorageBusy" || isLoss) this.durableAt = Number.NEGATIVE_INFINITY
  }

  /** See `Storage.ready`. Concurrent calls share one write, which continues if they are interrupted. */
  readonly check: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    if (this.isFresh) return Effect.void
    this.running ??= Effect.runFork(
      this.write.pipe(
        // The outcome of this write itself does not matter.
        Effect.catchTag("CommitUnknown", ({ cause }) => Effect.fail(new StorageUnavailable({}, { cause }))),
        Effect.ensuring(Effect.sync(() => (this.running = undefined)))
      )
    )
    // Other changes may have become durable meanwhile.
    return Effect.catch(Fiber.join(this.running), (error) => (this.isFresh ? Effect.void : Effect.fail(error)))
  })

  private get isFresh(): boolean {
    return performance.now() - this.durableAt < freshMillis
  }
}
