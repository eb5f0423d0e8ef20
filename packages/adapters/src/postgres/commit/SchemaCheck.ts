import { StorageUnavailable } from "@petstore/core/domain"
import { asking, type Direct, goOn, type StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"

/** Milliseconds for which a look at the schema holds. */
const fresh = 1000

/** Rejects writes on a schema that a newer release has migrated to something that this release cannot work with. */
export class SchemaCheck {
  private readonly look: () => Promise<string | undefined>
  /** The opening has looked. */
  private lookedAt = performance.now()
  private problem: string | undefined
  private running: Promise<void> | undefined

  /** `look`: returns why this release cannot work with the schema, if it cannot. */
  constructor(look: () => Promise<string | undefined>) {
    this.look = look
  }

  /** Does work that writes, if the schema was compatible less than a second ago. */
  readonly guard = <A, E>(work: Effect.Effect<A, E>): Direct<A, E | StorageError> =>
    asking(() =>
      this.problem === undefined && this.isFresh
        ? work
        : goOn(
            Effect.promise(() => this.refresh()),
            () => this.decide(work)
          )
    )

  /** The same for work in a transaction of the host application, which cannot wait: it goes by the look before. */
  readonly guardNow = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.suspend(() => {
      if (!this.isFresh) void this.refresh()
      return this.decide(work)
    })

  /** Whether the schema may be written to, for work that the store does by itself. */
  readonly allows = async (): Promise<boolean> => {
    if (!this.isFresh) await this.refresh()
    return this.problem === undefined
  }

  private get isFresh(): boolean {
    return performance.now() - this.lookedAt < fresh
  }

  private decide<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> {
    return this.problem === undefined ? work : Effect.fail(new StorageUnavailable({}, { message: this.problem }))
  }

  private refresh(): Promise<void> {
    this.running ??= this.lookNow()
    return this.running
  }

  private async lookNow(): Promise<void> {
    const began = performance.now()
    try {
      this.problem = await this.look()
      this.lookedAt = began
    } catch {
      // The server does not respond: the work itself reports why.
    } finally {
      this.running = undefined
    }
  }
}
