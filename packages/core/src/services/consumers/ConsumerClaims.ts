import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { EventType } from "../../domain/Event.ts"
import { claimed, extended, isCurrent, isHeld, released } from "../../domain/Lease.ts"
import { plusMillis } from "../../domain/Timestamp.ts"
import type { CommandName } from "../../ports/CommandName.ts"
import type { ConsumerRecord } from "../../ports/ConsumerRows.ts"
import type { ParkedEventRecord } from "../../ports/ParkedEventRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Transaction } from "../../ports/Transaction.ts"
import type { Claimed } from "../background/Worker.ts"
import type { Journal } from "../Journal.ts"
import type { LeaseHolders } from "./LeaseHolders.ts"

/** Another process handles the events now, or the consumer was removed. */
export class ClaimLost extends Data.TaggedError("ClaimLost") {}

/** The right of one process to handle the events of a consumer, and how far it has come. */
export interface ConsumerClaim {
  readonly fence: number
  /** The `seq` of the last event that it is done with. */
  position: number
  /** The position that the store has. */
  recorded: number
  /** How often the next event has failed. */
  attempts: number
  /** When the next event is due, if it has failed. */
  retryAt: string | undefined
}

/** Who claims a consumer. */
export interface Claimant {
  readonly name: string
  /** Different for every claimant, also of one process. */
  readonly holder: string
  readonly types?: ReadonlyArray<EventType> | undefined
  /** Milliseconds that a claim lasts unless it is extended. */
  readonly lease: number
  /** Whether a holder has certainly ended, so that its claim need not be waited for. */
  readonly hasEnded: LeaseHolders["hasEnded"]
}

const withoutRetry = ({ retryAt: _, ...record }: ConsumerRecord): ConsumerRecord => ({ ...record, attempts: 0 })

/** The record after its events up to a position are handled. */
const handledUpTo = (record: ConsumerRecord, position: number): ConsumerRecord =>
  position > record.position ? { ...withoutRetry(record), position } : record

const withTypes = ({ types: _, ...record }: ConsumerRecord, types: Claimant["types"]): ConsumerRecord =>
  types === undefined ? record : { ...record, types }

/** The short transactions by which a claimant works on its consumer. Those of a claim that is lost fail, and change nothing. */
export class ConsumerClaims {
  private readonly storage: Storage["Service"]
  private readonly journal: Journal["Service"]
  private readonly claimant: Claimant

  constructor(storage: Storage["Service"], journal: Journal["Service"], claimant: Claimant) {
    this.storage = storage
    this.journal = journal
    this.claimant = claimant
  }

  /** Claims the consumer if nobody holds it. Undefined if it was removed. */
  readonly claim: Effect.Effect<Claimed<ConsumerClaim> | undefined, StorageError> = Effect.suspend(() => {
    const { consumers, transact } = this.storage
    const { holder, lease: duration, name, types } = this.claimant
    return Effect.gen({ self: this }, function* () {
      const seen = yield* consumers.find(name)
      if (seen === undefined) return undefined
      const now = yield* this.journal.clockTime
      // Most looks find it held, so they take no lock.
      if (this.isTaken(seen, now)) return { items: [], nextDue: seen.lease.until }
      return yield* transact(
        Effect.gen({ self: this }, function* () {
          const record = yield* consumers.lock(name)
          if (record === undefined) return undefined
          const at = yield* this.journal.clockTime
          if (this.isTaken(record, at)) return { items: [], nextDue: record.lease.until }
          const lease = claimed(record.lease, at, duration)
          yield* consumers.save({ ...withTypes(record, types), lease, holder })
          const { attempts, position, retryAt } = record
          return { items: [{ fence: lease.fence, position, recorded: position, attempts, retryAt }] }
        }),
        "consumers.claim"
      )
    })
  })

  /** Extends the lease. */
  readonly extend = (claim: ConsumerClaim): Effect.Effect<void, ClaimLost | StorageError> =>
    this.held(claim, "consumers.extend", (record) => this.save(record))

  /** Records the position, and extends the lease. */
  readonly record = (claim: ConsumerClaim): Effect.Effect<void, ClaimLost | StorageError> =>
    Effect.suspend(() => {
      const { position } = claim
      const save = (record: ConsumerRecord) => this.save(handledUpTo(record, position))
      return Effect.map(this.held(claim, "consumers.record", save), () => {
        claim.recorded = position
      })
    })

  /** Runs a body in one transaction with a new position. */
  readonly handle = <A, E, R>(
    claim: ConsumerClaim,
    position: number,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<void, E | ClaimLost | StorageError, Exclude<R, Transaction>> =>
    Effect.map(
      this.held(claim, "consumers.handle", (record) => Effect.andThen(body, this.save(handledUpTo(record, position)))),
      () => this.advance(claim, position)
    )

  /** Records that the next event has failed, and when it is tried again. */
  readonly fail = (
    claim: ConsumerClaim,
    message: string,
    delay: number
  ): Effect.Effect<string, ClaimLost | StorageError> =>
    Effect.suspend(() => {
      const { attempts, position } = claim
      return Effect.map(
        this.held(claim, "consumers.record", (record, at) => {
          const retryAt = plusMillis(at, delay)
          const failed = { ...handledUpTo(record, position), attempts: attempts + 1, retryAt, failure: { message, at } }
          return Effect.as(this.save(failed), retryAt)
        }),
        (retryAt) => {
          claim.recorded = position
          claim.attempts = attempts + 1
          claim.retryAt = retryAt
          return retryAt
        }
      )
    })

  /** Records that the next event has failed for the last time, and passes it. */
  readonly park = (claim: ConsumerClaim, seq: number, message: string): Effect.Effect<void, ClaimLost | StorageError> =>
    Effect.map(
      this.held(claim, "consumers.record", (record, at) =>
        Effect.andThen(
          this.storage.parkedEvents.save({
            consumer: record.name,
            seq,
            attempts: claim.attempts + 1,
            failure: message,
            parkedAt: at,
            replay: false
          }),
          this.save({ ...handledUpTo(record, seq), failure: { message, at } })
        )
      ),
      () => this.advance(claim, seq)
    )

  /** Records that a parked event was handled when it was replayed, in one transaction with a body. */
  readonly unpark = <A, E, R>(
    claim: ConsumerClaim,
    { consumer, seq }: ParkedEventRecord,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<void, E | ClaimLost | StorageError, Exclude<R, Transaction>> =>
    this.held(claim, "consumers.record", () =>
      Effect.andThen(body, this.storage.parkedEvents.remove({ consumer, seq }))
    )

  /** Records that a parked event has failed again, unless it was discarded meanwhile. */
  readonly parkAgain = (
    claim: ConsumerClaim,
    { consumer, seq }: ParkedEventRecord,
    message: string
  ): Effect.Effect<void, ClaimLost | StorageError> =>
    this.held(claim, "consumers.record", (record, at) =>
      Effect.gen({ self: this }, function* () {
        const parked = yield* this.storage.parkedEvents.find({ consumer, seq })
        if (parked === undefined) return
        const { attempts } = parked
        yield* this.storage.parkedEvents.save({
          ...parked,
          attempts: attempts + 1,
          failure: message,
          parkedAt: at,
          replay: false
        })
        yield* this.save({ ...record, failure: { message, at } })
      })
    )

  /** Records the position and gives the lease back, if the claim still holds. */
  readonly release = (claim: ConsumerClaim): Effect.Effect<void, StorageError> =>
    Effect.catchTag(
      this.held(claim, "consumers.release", (record) => {
        const { holder: _, ...rest } = handledUpTo(record, claim.position)
        return this.storage.consumers.save({ ...rest, lease: released(record.lease) })
      }),
      "ClaimLost",
      () => Effect.void
    )

  private isTaken({ holder, lease }: ConsumerRecord, now: string): boolean {
    return isHeld(lease, now) && !(holder !== undefined && this.claimant.hasEnded(holder))
  }

  private advance(claim: ConsumerClaim, position: number): void {
    claim.position = position
    claim.recorded = position
    claim.attempts = 0
    claim.retryAt = undefined
  }

  private readonly save = (record: ConsumerRecord): Effect.Effect<void, StorageError, Transaction> =>
    Effect.flatMap(this.journal.clockTime, (at) =>
      this.storage.consumers.save({ ...record, lease: extended(record.lease, at, this.claimant.lease) })
    )

  /** Runs a body on the locked consumer, if the claim still holds. */
  private held<A, E, R>(
    { fence }: ConsumerClaim,
    command: CommandName,
    body: (record: ConsumerRecord, now: string) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ClaimLost | StorageError, Exclude<R, Transaction>> {
    const { holder, name } = this.claimant
    return this.storage.transact(
      Effect.gen({ self: this }, function* () {
        const record = yield* this.storage.consumers.lock(name)
        if (record === undefined || record.holder !== holder || !isCurrent(record.lease, fence)) {
          return yield* new ClaimLost()
        }
        return yield* body(record, yield* this.journal.clockTime)
      }),
      command
    )
  }
}
