import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Event, EventType } from "../domain/Event.ts"
import { type EventFilter, keyOf, select } from "../domain/EventFilter.ts"
import { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import { limits } from "../domain/limits.ts"
import type { EventRows } from "../ports/EventRows.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { freeze } from "./EventPage.ts"
import type { Follower } from "./EventSource.ts"
import type { EventTail, WaitingFollower } from "./EventTail.ts"

/** Fails if events after a position are no longer kept: the log has no gaps, and its last event always stays. */
export const requireKept = (
  after: number,
  page: ReadonlyArray<Event>
): Effect.Effect<ReadonlyArray<Event>, CursorExpired> => {
  const [first] = page
  return first === undefined || first.seq <= after + 1
    ? Effect.succeed(page)
    : Effect.fail(new CursorExpired({ earliest: first.seq }))
}

/** A follower on the tail that all followers of an engine share. A follower that is behind it reads the log by itself. */
export class EventFollower<T extends EventType> implements Follower<T, CursorExpired | StorageError>, WaitingFollower {
  readonly start: number
  readonly filter: EventFilter<T>
  readonly filterKey: string | undefined
  position: number
  isClosed = false
  private readonly tail: EventTail
  private readonly scan: EventRows["scan"]
  private seenFailure: Cause.Cause<StorageError> | undefined
  private notify: (() => void) | undefined
  /** Whether its own reading failed, and nothing was committed since. */
  private isStuck = false
  /** The position when more was asked for the last time. */
  private returned: number

  constructor(tail: EventTail, scan: EventRows["scan"], start: number, filter: EventFilter<T>) {
    this.tail = tail
    this.scan = scan
    this.start = start
    this.position = start
    this.returned = start
    this.filter = filter
    this.filterKey = keyOf(filter)
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
    return Effect.andThen(Effect.yieldNow, this.scan(this.position, limits.page)).pipe(
      Effect.flatMap((page) => requireKept(this.position, page)),
      Effect.map((page) => {
        freeze(page)
        this.position = page.at(-1)?.seq ?? this.position
        return select(this.filter, page)
      }),
      Effect.onError(() =>
        Effect.sync(() => {
          this.isStuck = true
        })
      )
    )
  })

  readonly take = (): ReadonlyArray<Event<T>> => {
    this.returned = this.position
    if (this.isClosed || this.isBehind) return []
    const page = this.tail.after(this)
    this.position = this.tail.endOf(this.position)
    // It selects by the filter of this follower.
    return page as ReadonlyArray<Event & Event<T>>
  }

  get mustRead(): boolean {
    return !this.isStuck && (this.isBehind || this.newFailure !== undefined)
  }

  readonly onMore = (notify: () => void): void => {
    this.notify = notify
    const canTake = !this.isBehind && this.position < this.tail.last
    if (this.isClosed || canTake || this.mustRead) this.wake()
    else this.tail.wait(this)
  }

  readonly wake = (): void => {
    const { notify } = this
    this.notify = undefined
    this.isStuck = false
    notify?.()
  }

  /** Wakes who waits for it, for the last time. */
  readonly close = (): void => {
    this.isClosed = true
    this.tail.forget(this)
    this.wake()
  }

  /** The `seq` up to which everything is handled: who asks for more has handled what came before. */
  get handled(): number {
    return this.notify === undefined ? this.returned : this.position
  }

  private get isBehind(): boolean {
    return this.position < this.tail.first
  }

  private get newFailure(): Cause.Cause<StorageError> | undefined {
    return this.tail.failure === this.seenFailure ? undefined : this.tail.failure
  }

  private readonly more: Effect.Effect<void> = Effect.callback((resume) => {
    this.onMore(() => resume(Effect.void))
    return Effect.sync(() => {
      this.notify = undefined
      this.tail.forget(this)
    })
  })
}
