import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { parkedKeyOf } from "../../domain/consumers/Consumer.ts"
import type { EventType } from "../../domain/events/Event.ts"
import { claimed, extended, isCurrent, isHeld, released } from "../../domain/Lease.ts"
import { plusMillis } from "../../domain/Timestamp.ts"
import { type Command, fail } from "../../kernel/Command.ts"
import type { CommandName, Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Call } from "../../programs/Call.ts"
import type { Commands } from "../../programs/Commands.ts"
import type { Journal } from "../../programs/events/Journal.ts"
import type { ConsumerRecord, ParkedEventRecord } from "../../tables/consumerTables.ts"
import { consumers, parkedEvents } from "../../tables/index.ts"
import type { Claimed } from "../background/Worker.ts"
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
  /** When the next event is due again; undefined if it has not failed. */
  retryAt: string | undefined
}

/** What a look for work finds. */
interface Look extends Claimed<ConsumerClaim> {
  /** Who holds the consumer, if another claimant does. */
  readonly heldBy?: string | undefined
}

/** Who claims a consumer. */
interface Claimant {
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

const isHeldBy = ({ holder, lease }: ConsumerRecord, claimant: Claimant, { fence }: ConsumerClaim): boolean =>
  holder === claimant.holder && isCurrent(lease, fence)

/** Locks the consumer of a claim, if that still holds. */
function* lockHeld({ tx }: Call, claimant: Claimant, claim: ConsumerClaim): Command<ConsumerRecord, ClaimLost> {
  const record = yield* tx.lock(consumers, claimant.name)
  if (record === undefined || !isHeldBy(record, claimant, claim)) return yield* fail(new ClaimLost())
  return record
}

const withLease = (record: ConsumerRecord, now: string, { lease }: Claimant): ConsumerRecord => ({
  ...record,
  lease: extended(record.lease, now, lease)
})

const isTaken = ({ holder, lease }: ConsumerRecord, { hasEnded }: Claimant, now: string): boolean =>
  isHeld(lease, now) && !(holder !== undefined && hasEnded(holder))

/** Claims a consumer if nobody holds it. Undefined if it was removed. */
function* claimConsumer(call: Call, claimant: Claimant): Command<Look | undefined> {
  const { holder, lease: duration, name, types } = claimant
  const record = yield* call.tx.lock(consumers, name)
  if (record === undefined) return undefined
  const at = call.clockTime()
  if (isTaken(record, claimant, at)) return { items: [], nextDue: record.lease.until, heldBy: record.holder }
  const lease = claimed(record.lease, at, duration)
  call.tx.save(consumers, { ...withTypes(record, types), lease, holder })
  const { attempts, position, retryAt } = record
  return { items: [{ fence: lease.fence, position, recorded: position, attempts, retryAt }] }
}

/** The short transactions by which a claimant works on its consumer. Those of a claim that is lost fail, and change nothing. */
export class ConsumerClaims {
  private readonly storage: Storage["Service"]
  private readonly commands: Commands["Service"]
  private readonly journal: Journal["Service"]
  private readonly claimant: Claimant

  constructor(
    storage: Storage["Service"],
    commands: Commands["Service"],
    journal: Journal["Service"],
    claimant: Claimant
  ) {
    this.storage = storage
    this.commands = commands
    this.journal = journal
    this.claimant = claimant
  }

  /** Claims the consumer if nobody holds it. Undefined if it was removed. */
  readonly claim: Effect.Effect<Look | undefined, StorageError> = Effect.suspend(() => {
    const { claimant, commands } = this
    return Effect.gen({ self: this }, function* () {
      const seen = yield* this.storage.find(consumers, claimant.name)
      if (seen === undefined) return undefined
      const now = yield* this.journal.clockTime
      // Most looks find it held, so they take no lock.
      if (isTaken(seen, claimant, now)) return { items: [], nextDue: seen.lease.until, heldBy: seen.holder }
      return yield* commands.run("consumers.claim", (call) => claimConsumer(call, claimant))
    })
  })

  /** Extends the lease. */
  readonly extend = (claim: ConsumerClaim): Effect.Effect<void, ClaimLost | StorageError> =>
    this.change(claim, "consumers.extend", (record) => record)

  /** Records the position, and extends the lease. */
  readonly record = (claim: ConsumerClaim): Effect.Effect<void, ClaimLost | StorageError> =>
    Effect.suspend(() => {
      const { position } = claim
      return Effect.map(
        this.change(claim, "consumers.record", (record) => handledUpTo(record, position)),
        () => {
          claim.recorded = position
        }
      )
    })

  /** Records that the next event has failed, and when it is tried again. */
  readonly fail = (
    claim: ConsumerClaim,
    message: string,
    delay: number
  ): Effect.Effect<string, ClaimLost | StorageError> =>
    Effect.suspend(() => {
      const { attempts, position } = claim
      let retryAt = ""
      return Effect.map(
        this.change(claim, "consumers.record", (record, at) => {
          retryAt = plusMillis(at, delay)
          return { ...handledUpTo(record, position), attempts: attempts + 1, retryAt, failure: { message, at } }
        }),
        () => {
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
      this.change(claim, "consumers.record", (record, at, { tx }) => {
        const attempts = claim.attempts + 1
        const parked = { consumer: record.name, seq, attempts, failure: message, parkedAt: at, replay: false }
        tx.save(parkedEvents, parked)
        return { ...handledUpTo(record, seq), failure: { message, at } }
      }),
      () => this.advance(claim, seq)
    )

  /** Records that a parked event was handled when it was replayed. */
  readonly unpark = (
    claim: ConsumerClaim,
    parked: ParkedEventRecord
  ): Effect.Effect<void, ClaimLost | StorageError> => {
    const { claimant } = this
    return this.commands.run("consumers.record", function* (call) {
      yield* lockHeld(call, claimant, claim)
      call.tx.remove(parkedEvents, parked)
    })
  }

  /** Records that a parked event has failed again, unless it was discarded meanwhile. */
  readonly parkAgain = (
    claim: ConsumerClaim,
    parked: ParkedEventRecord,
    message: string
  ): Effect.Effect<void, ClaimLost | StorageError> => {
    const { claimant } = this
    return this.commands.run("consumers.record", function* (call) {
      const record = yield* lockHeld(call, claimant, claim)
      const at = call.clockTime()
      const stored = yield* call.tx.find(parkedEvents, parkedKeyOf(parked))
      if (stored === undefined) return
      const attempts = stored.attempts + 1
      call.tx.save(parkedEvents, { ...stored, attempts, failure: message, parkedAt: at, replay: false })
      call.tx.save(consumers, withLease({ ...record, failure: { message, at } }, at, claimant))
    })
  }

  /** Records the position and gives the lease back, if the claim still holds. */
  readonly release = (claim: ConsumerClaim): Effect.Effect<void, StorageError> => {
    const { claimant } = this
    return this.commands
      .run("consumers.release", function* (call) {
        const record = yield* lockHeld(call, claimant, claim)
        const { holder: _, ...rest } = handledUpTo(record, claim.position)
        call.tx.save(consumers, { ...rest, lease: released(record.lease) })
      })
      .pipe(Effect.catchTag("ClaimLost", () => Effect.void))
  }

  private advance(claim: ConsumerClaim, position: number): void {
    claim.position = position
    claim.recorded = position
    claim.attempts = 0
    claim.retryAt = undefined
  }

  /** Changes the consumer if the claim still holds, and extends the lease. */
  private change(
    claim: ConsumerClaim,
    command: CommandName,
    to: (record: ConsumerRecord, now: string, call: Call) => ConsumerRecord
  ): Effect.Effect<void, ClaimLost | StorageError> {
    const { claimant } = this
    return this.commands.run(command, function* (call) {
      const record = yield* lockHeld(call, claimant, claim)
      const now = call.clockTime()
      call.tx.save(consumers, withLease(to(record, now, call), now, claimant))
    })
  }
}
