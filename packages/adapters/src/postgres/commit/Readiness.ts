import { StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Milliseconds for which a durable write shows that the next one can be durable. */
const fresh = 1000

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

  /** Records that changes could not be made durable. A lock reveals nothing about the server. */
  readonly failed = (reason: StorageError): void => {
    if (reason._tag !== "StorageBusy" || reason.cause !== undefined) this.durableAt = Number.NEGATIVE_INFINITY
  }

  /** See `Storage.ready`. Concurrent calls share one write, which continues if they are interrupted. */
  readonly check: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    if (performance.now() - this.durableAt < fresh) return Effect.void
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
