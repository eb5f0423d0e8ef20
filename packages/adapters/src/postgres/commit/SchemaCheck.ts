import { type StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import { asking, type Direct, goOn, type StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { statementError } from "../connection/errors.ts"
import type { Read } from "../schema/migrate.ts"

/** Milliseconds for which a look at the schema holds. */
const freshMillis = 1000

/** Returns why this release cannot work with the schema, if it cannot. */
export type Look = (read: Read) => Promise<string | undefined>

/** Rejects writes on a schema that a newer release has migrated to something that this release cannot work with. */
export class SchemaCheck {
  private readonly look: Look
  private readonly read: Read
  private readonly wasClockSet: () => boolean
  /** The opening has looked. */
  private lookedAt = performance.now()
  private problem: string | undefined
  private running: Promise<StorageBusy | undefined> | undefined

  /** `read`: on a connection of the store. `wasClockSet`: whether the clock of this machine must be compared again. */
  constructor(look: Look, read: Read, wasClockSet: () => boolean) {
    this.look = look
    this.read = read
    this.wasClockSet = wasClockSet
  }

  /** Does work that writes, if the schema was compatible less than a second ago. */
  readonly guard = <A, E>(work: Effect.Effect<A, E>): Direct<A, E | StorageError> =>
    asking(() =>
      this.isPassed
        ? work
        : goOn(
            Effect.promise(() => this.refresh()),
            (busy) => (busy === undefined ? this.decide(work) : Effect.fail(busy))
          )
    )

  /** Why work must not write now; undefined if it may. `read`: on a connection that the work has, since there may be no other. */
  async problemBy(read: Read): Promise<string | undefined> {
    if (!this.isFresh) await this.lookNow(read)
    return this.problem
  }

  /** Whether the schema may be written to, for work that the store does by itself. */
  readonly allows = async (): Promise<boolean> => {
    if (!this.isFresh) await this.refresh()
    return this.problem === undefined
  }

  /** Whether the schema was compatible less than a second ago. */
  get isPassed(): boolean {
    return this.problem === undefined && this.isFresh
  }

  private get isFresh(): boolean {
    return performance.now() - this.lookedAt < freshMillis && !this.wasClockSet()
  }

  private decide<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> {
    return this.problem === undefined ? work : Effect.fail(new StorageUnavailable({}, { message: this.problem }))
  }

  /** Returns why there was no connection for a look: the work would wait for one as long again. */
  private refresh(): Promise<StorageBusy | undefined> {
    this.running ??= this.lookNow(this.read).finally(() => {
      this.running = undefined
    })
    return this.running
  }

  private async lookNow(read: Read): Promise<StorageBusy | undefined> {
    const began = performance.now()
    try {
      this.problem = await this.look(read)
      this.lookedAt = began
      return undefined
    } catch (cause) {
      // If the server does not respond, the work itself reports why.
      const error = statementError(cause)
      return error._tag === "StorageBusy" ? error : undefined
    }
  }
}
