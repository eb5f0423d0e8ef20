import type * as Cause from "effect/Cause"
import type { Event } from "../domain/Event.ts"
import { type EventFilter, mayMatch, PageSummary, select } from "../domain/EventFilter.ts"
import { frozen } from "../domain/rules/frozen.ts"
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
  for (const event of page) if (!Object.isFrozen(event)) frozen(event)
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
  /** The events after {@link first}, and up to as many before, which are removed together. */
  private events: Array<Event> = []
  /** The `seq` of the event before them. */
  private before: number
  /** What the last call of {@link after} found, by the keys of filters. */
  private takenAfter = Number.NaN
  private taken: ReadonlyArray<Event> = []
  private readonly selected = new Map<string | undefined, ReadonlyArray<Event>>()
  /** Those that wait, by the keys of their filters. */
  private readonly waiting = new Map<string | undefined, Set<WaitingFollower>>()
  /** The `seq` of the last event that was read. */
  last: number
  /** Followers before this `seq` must read the log by themselves. */
  first: number
  /** Why the log could not be read the last time; undefined if it could. */
  failure: Cause.Cause<StorageError> | undefined

  constructor(last: number) {
    this.before = last
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
      this.taken = this.events.slice(position - this.before, this.endOf(position) - this.before)
    }
    const known = this.selected.get(filterKey)
    if (known !== undefined) return known
    const selected = filterKey === undefined ? this.taken : select(filter, this.taken)
    freeze(selected)
    this.selected.set(filterKey, selected)
    return selected
  }

  /** Wakes a follower when there are events for it. */
  wait(follower: WaitingFollower): void {
    const { filterKey } = follower
    const group = this.waiting.get(filterKey)
    if (group === undefined) this.waiting.set(filterKey, new Set([follower]))
    else group.add(follower)
  }

  /** Returns whether the follower waited. */
  forget(follower: WaitingFollower): boolean {
    const { filterKey } = follower
    const group = this.waiting.get(filterKey)
    if (group?.delete(follower) !== true) return false
    if (group.size === 0) this.waiting.delete(filterKey)
    return true
  }

  /** Adds the next page of the log, perhaps empty, and wakes the followers that want some of it. Yields between slices. */
  *append(page: ReadonlyArray<Event>): Generator<void> {
    this.failure = undefined
    const first = page[0]
    const last = page.at(-1)
    if (first === undefined || last === undefined) return
    this.add(page, first.seq, last.seq)
    const summary = new PageSummary(page)
    let delivered = 0
    for (const group of [...this.waiting.values()]) {
      for (const follower of this.wantedBy(group, summary)) {
        // While this page was delivered in slices, the follower may have taken it, or have ended.
        if (follower.position >= last.seq || !this.forget(follower)) continue
        delivered += page.length
        follower.wake()
        if (delivered < sliceLength) continue
        delivered = 0
        yield
      }
    }
  }

  /** Notes that the log could not be read, and wakes all followers. */
  fail(cause: Cause.Cause<StorageError>): void {
    this.failure = cause
    this.wakeAll()
  }

  wakeAll(): void {
    const groups = [...this.waiting.values()]
    this.waiting.clear()
    for (const group of groups) {
      for (const follower of group) follower.wake()
    }
  }

  private add(page: ReadonlyArray<Event>, first: number, last: number): void {
    // The events between may have been removed from the log before they were read.
    if (first !== this.last + 1) this.events = []
    for (const event of page) this.events.push(event)
    if (this.events.length > 2 * capacity) this.events = this.events.slice(-capacity)
    this.before = (this.events[0]?.seq ?? 1) - 1
    this.first = Math.max(this.before, last - capacity)
    this.last = last
    this.takenAfter = Number.NaN
  }

  /** The followers of a group that want some of a page. Moves the others past it. */
  private wantedBy(group: ReadonlySet<WaitingFollower>, page: PageSummary): ReadonlyArray<WaitingFollower> {
    const [any] = group
    if (any === undefined || mayMatch(any.filter, page)) return [...group]
    const behind: Array<WaitingFollower> = []
    for (const follower of group) {
      // While the page before was delivered in slices, it may have come to wait further behind.
      if (follower.position < page.first - 1) behind.push(follower)
      else follower.position = Math.max(follower.position, page.last)
    }
    return behind
  }
}
