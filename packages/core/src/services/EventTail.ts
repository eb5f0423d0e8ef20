import type * as Cause from "effect/Cause"
import type { Event } from "../domain/Event.ts"
import { type EventFilter, mayMatch, PageSummary, select } from "../domain/EventFilter.ts"
import type { StorageError } from "../ports/StorageError.ts"

/**
 * How many events are read at a time: more than a shared commit of 64 orders adds, so that followers do not fall behind while
 * commits follow each other without a pause.
 */
export const tailPage = 256

/** How many events are kept for followers that are about to catch up. */
const capacity = 2 * tailPage

/** After how many deliveries to followers other work goes first. */
const sliceLength = 1_000

/** Makes events safe to give to several followers. */
export const freeze = (page: ReadonlyArray<Event>): void => {
  for (const event of page) Object.freeze(Object.freeze(event).data)
}

/** A follower that has caught up and waits. */
export interface WaitingFollower {
  readonly filter: EventFilter
  /** The same for filters that select the same; undefined for one that selects everything. */
  readonly filterKey: string | undefined
  /** The `seq` that it has read up to. */
  position: number
  /** Called once when there is something to take, a failure, or the end. It must return soon and not throw. */
  wake(): void
}

/** What followers share: the last events of the log, which are read and parsed once for all of them. */
export class EventTail {
  private events: ReadonlyArray<Event> = []
  /** What the last call of {@link after} found, by the keys of filters. */
  private takenAfter = Number.NaN
  private taken: ReadonlyArray<Event> = []
  private readonly selected = new Map<string, ReadonlyArray<Event>>()
  private readonly waiting = new Set<WaitingFollower>()
  /** The `seq` of the last event that was read. */
  last: number
  /** Followers before this `seq` must read the log by themselves. */
  first: number
  /** Why the log could not be read the last time; undefined if it could. */
  failure: Cause.Cause<StorageError> | undefined

  constructor(last: number) {
    this.first = last
    this.last = last
  }

  /** The `seq` up to which {@link after} returns events. */
  endOf(position: number): number {
    return Math.max(position, Math.min(position + tailPage, this.last))
  }

  /**
   * The events that a follower selects after its position, which is not below {@link first}: one page of the log. Followers that
   * wait at the same place for the same receive the same array, which is made once.
   */
  after({ filter, filterKey, position }: WaitingFollower): ReadonlyArray<Event> {
    if (position >= this.last) return []
    if (position !== this.takenAfter) {
      this.selected.clear()
      this.takenAfter = position
      this.taken = this.events.slice(position - this.first, this.endOf(position) - this.first)
    }
    if (filterKey === undefined) return this.taken
    const known = this.selected.get(filterKey)
    if (known !== undefined) return known
    const selected = select(filter, this.taken)
    this.selected.set(filterKey, selected)
    return selected
  }

  /** Wakes a follower when there are events for it. */
  wait(follower: WaitingFollower): void {
    this.waiting.add(follower)
  }

  forget(follower: WaitingFollower): void {
    this.waiting.delete(follower)
  }

  /** Adds the next page of the log, perhaps empty, and wakes the followers that want some of it. Yields between slices. */
  *append(page: ReadonlyArray<Event>): Generator<void> {
    this.failure = undefined
    const last = page.at(-1)
    if (last === undefined) return
    freeze(page)
    // The events between may have been removed from the log before they were read.
    const isNext = page[0]?.seq === this.last + 1
    this.events = isNext ? [...this.events, ...page].slice(-capacity) : page
    this.first = (this.events[0]?.seq ?? 1) - 1
    this.last = last.seq
    this.takenAfter = Number.NaN
    const summary = new PageSummary(page)
    let delivered = 0
    for (const follower of [...this.waiting]) {
      if (!this.passOver(follower, summary, last.seq) && this.waiting.delete(follower)) {
        delivered += page.length
        follower.wake()
      }
      if (delivered < sliceLength) continue
      delivered = 0
      yield
    }
  }

  /** Notes that the log could not be read, and wakes all followers. */
  fail(cause: Cause.Cause<StorageError>): void {
    this.failure = cause
    this.wakeAll()
  }

  wakeAll(): void {
    const woken = [...this.waiting]
    this.waiting.clear()
    for (const follower of woken) follower.wake()
  }

  /** Moves a follower past a page without anything that it wants. */
  private passOver(follower: WaitingFollower, summary: PageSummary, last: number): boolean {
    if (follower.position >= last) return true
    // While this page was delivered in slices, the follower may have come to wait further behind.
    if (follower.position < summary.first - 1 || mayMatch(follower.filter, summary)) return false
    follower.position = last
    return true
  }
}
