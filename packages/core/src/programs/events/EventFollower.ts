import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { CursorExpired } from "../../domain/errors/RequestErrors.ts"
import { ShuttingDown } from "../../domain/errors/ServiceErrors.ts"
import type { Event, EventType } from "../../domain/events/Event.ts"
import { type EventFilter, keyOf, select } from "../../domain/events/EventFilter.ts"
import { limits } from "../../domain/limits.ts"
import type { EventRows } from "../../ports/EventRows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { freeze } from "./EventPage.ts"
import type { LogFollower } from "./EventSource.ts"
import type { EventTail } from "./EventTail.ts"
import type { FollowerGroup, TailFollower } from "./FollowerGroup.ts"
import { type FindOwners, noOwners, type OwnedEvents, ownerAlone } from "./OwnedEvents.ts"

/** Fails if events after a position are no longer kept: the log has no gaps, and its last event always stays. */
export const requireKept = (
  after: number,
  page: ReadonlyArray<Event>
): Result.Result<ReadonlyArray<Event>, CursorExpired> => {
  const [first] = page
  return first === undefined || first.seq <= after + 1
    ? Result.succeed(page)
    : Result.fail(new CursorExpired({ earliest: first.seq }))
}

/** A follower on the tail that all followers of a petstore share. A follower that is behind it reads the log by itself. */
export class EventFollower<T extends EventType> implements LogFollower<T, CursorExpired | StorageError>, TailFollower {
  readonly start: number
  readonly filter: EventFilter<T>
  readonly filterKey: string | undefined
  isClosed = false
  private readonly group: FollowerGroup
  private readonly tail: EventTail
  private readonly scan: EventRows["scan"]
  private readonly ownersIn: FindOwners
  private readonly owned: OwnedEvents | undefined
  /** The `seq` that it has read up to, unless its group has passed more while it waited. */
  private reached: number
  /** Whether it waits, and had caught up when it began to. Its group counts such members. */
  private isLevel = false
  private seenFailure: Cause.Cause<StorageError> | undefined
  private notify: (() => void) | undefined
  /** Whether its own last read failed, and nothing was committed since. */
  private isStuck = false
  /** The position when more was asked for the last time. */
  private returned: number

  /** `ownersIn` and `owned`: needed for the filter of an owner. */
  constructor(
    tail: EventTail,
    scan: EventRows["scan"],
    start: number,
    filter: EventFilter<T>,
    ownersIn: FindOwners = () => noOwners,
    owned?: OwnedEvents
  ) {
    this.tail = tail
    this.scan = scan
    this.ownersIn = ownersIn
    this.owned = owned
    this.start = start
    this.reached = start
    this.returned = start
    this.filter = filter
    this.filterKey = keyOf(filter)
    this.group = tail.join(this)
  }

  readonly next: Effect.Effect<ReadonlyArray<Event<T>>, CursorExpired | StorageError> = Effect.suspend(() => {
    if (this.isClosed) return Effect.fail(new ShuttingDown({}))
    const page = this.take()
    if (page.length > 0) return Effect.succeed(page)
    if (!this.mustRead) return Effect.andThen(this.more, this.next)
    return Effect.flatMap(this.read, (read) => (read.length > 0 ? Effect.succeed(read) : this.next))
  })

  /** Lets commits and the event loop go first, even if there is much to catch up on. */
  readonly read: Effect.Effect<ReadonlyArray<Event<T>>, CursorExpired | StorageError> = Effect.suspend(() => {
    const failure = this.newFailure
    if (failure !== undefined) {
      this.seenFailure = failure
      return Effect.failCause(failure)
    }
    this.returned = this.position
    return Effect.andThen(Effect.yieldNow, this.readPage).pipe(
      Effect.onError((cause) =>
        Effect.sync(() => {
          this.isStuck = !Cause.hasInterruptsOnly(cause)
        })
      )
    )
  })

  /** Reads the next page. */
  private readonly readPage = Effect.suspend(() => {
    const { filter, owned } = this
    const owner = owned && ownerAlone(filter)
    const page = Effect.flatMap(this.scan(this.position, owner === undefined ? limits.page : 1), (events) =>
      Effect.fromResult(requireKept(this.position, events))
    )
    if (owned !== undefined && owner !== undefined) {
      const part = Effect.andThen(
        page,
        Effect.suspend(() => owned.after(owner, this.position))
      )
      const { subject, types } = filter
      return Effect.map(part, ({ events, last }) => this.readUpTo(last, events, select({ subject, types }, events)))
    }
    return Effect.flatMap(page, (events) =>
      Effect.map(filter.owner === undefined ? noOwners : this.ownersIn(events), (owners) =>
        this.readUpTo(events.at(-1)?.seq ?? this.position, events, select(filter, events, owners))
      )
    )
  })

  private readUpTo<E>(seq: number, events: ReadonlyArray<Event>, selected: E): E {
    freeze(events)
    this.isStuck = false
    this.position = seq
    return selected
  }

  get position(): number {
    return this.isLevel ? Math.max(this.reached, this.group.passed) : this.reached
  }

  private set position(seq: number) {
    this.reached = seq
    this.setLevel(false)
  }

  take(): ReadonlyArray<Event<T>> {
    const { position, tail } = this
    this.returned = position
    if (this.isClosed || this.isBehind) return []
    const page = tail.after(this.group, position)
    this.position = tail.endOf(position)
    // It selects by the filter of this follower.
    return page as ReadonlyArray<Event & Event<T>>
  }

  rewind(seq: number): void {
    this.position = seq
  }

  get mustRead(): boolean {
    return !this.isStuck && (this.isBehind || this.newFailure !== undefined)
  }

  get isWaiting(): boolean {
    return this.notify !== undefined
  }

  onMore(notify: () => void): void {
    const { position, tail } = this
    this.notify = notify
    if (this.isClosed || this.mustRead) this.wake()
    else if (position >= tail.last) this.setLevel(true)
    else if (!this.isBehind) this.wake()
    else this.group.hasStuck = true
  }

  wake(): void {
    const { notify } = this
    this.stopWaiting()
    this.isStuck = false
    notify?.()
  }

  /** Wakes who waits for it, for the last time. */
  close(): void {
    this.isClosed = true
    this.tail.leave(this)
    this.wake()
  }

  /** The `seq` up to which everything is handled: who asks for more has handled what came before. */
  get handled(): number {
    return this.notify === undefined ? this.returned : this.position
  }

  private get isBehind(): boolean {
    return this.position < this.tail.firstFor(this.filter)
  }

  private get newFailure(): Cause.Cause<StorageError> | undefined {
    return this.tail.failure === this.seenFailure ? undefined : this.tail.failure
  }

  private readonly more: Effect.Effect<void> = Effect.callback((resume) => {
    this.onMore(() => resume(Effect.void))
    return Effect.sync(() => this.stopWaiting())
  })

  private setLevel(isLevel: boolean): void {
    if (isLevel === this.isLevel) return
    this.isLevel = isLevel
    this.group.level += isLevel ? 1 : -1
  }

  private stopWaiting(): void {
    // Keeps what its group has passed while it waited.
    this.position = this.position
    this.notify = undefined
  }
}
