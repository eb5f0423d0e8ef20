import type * as Cause from "effect/Cause"
import type { Event } from "../../domain/events/Event.ts"
import { type EventFilter, mayMatch, type OrderOwners, select } from "../../domain/events/EventFilter.ts"
import type { DeferredEvents } from "../../ports/EventRows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { EventPage } from "./EventPage.ts"
import { FollowerGroup, type TailFollower } from "./FollowerGroup.ts"

/**
 * How many events are read at a time: more than a shared commit of 64 orders adds, so that followers do not fall behind while
 * commits follow each other without a pause.
 */
export const tailPage = 256

/**
 * How many events are kept for followers that are about to catch up: those of more commits of 64 orders than a consumer waits for when it
 * records its position. A hundred consumers that each read them again would take longer, and so stay behind.
 */
const capacity = 8 * tailPage

/** After how many deliveries to followers it looks at how long they took, at the latest. */
const longestStep = 256

/** After how many milliseconds of deliveries other work goes first. */
const longestSliceMillis = 2

/** After how many deliveries it does so in any case: a clock may stand still. */
const mostInSlice = 100_000

const none: ReadonlyArray<Event> = []

/** What followers share: the last events of the log, which are read and parsed once for all of them. */
export class EventTail {
  /** The pages after {@link first}, and perhaps some before. Those that all have taken go at once: pages that grow old make collections of garbage slow. */
  private pages: Array<EventPage> = []
  private readonly elapsed: () => number
  /** After how many deliveries it looks at how long they took: one if that was long, and more and more while they are fast. */
  private step = 1
  /** By the keys of their filters. */
  private readonly groups = new Map<string | undefined, FollowerGroup>()
  /** The `seq` of the last event that was read. */
  last: number
  /** Followers before this `seq` must read the log by themselves. */
  first: number
  /** The same for followers of the orders of one owner: no later page was added without owners. */
  private firstOwned: number
  private ownedGroups = 0
  /** Why the log could not be read the last time; undefined if it could. */
  failure: Cause.Cause<StorageError> | undefined

  /** `elapsed`: the milliseconds of a clock that is never set. */
  constructor(last: number, elapsed: () => number) {
    this.first = last
    this.firstOwned = last
    this.last = last
    this.elapsed = elapsed
  }

  /** Whether followers need to know whose the orders of a page are. */
  get needsOwners(): boolean {
    return this.ownedGroups > 0
  }

  /** The `seq` before which a follower must read the log by itself. */
  firstFor({ owner }: EventFilter): number {
    return owner === undefined ? this.first : Math.max(this.first, this.firstOwned)
  }

  /** The `seq` up to which {@link after} returns events. */
  endOf(position: number): number {
    return Math.max(position, Math.min(position + tailPage, this.last))
  }

  /**
   * The events that a group selects after a position, which is not below {@link first}: one page of the log. Followers of a group
   * at the same place receive the same array, which is made once.
   */
  after(group: FollowerGroup, position: number): ReadonlyArray<Event> {
    if (position >= this.last) return none
    const through = this.endOf(position)
    let { selection } = group
    if (selection?.after !== position || selection.through !== through) {
      selection = { after: position, through, events: this.select(group, position, through) }
      group.selection = selection
    }
    return selection.events
  }

  /** Wakes a follower from now on, whenever it waits and there are events for it. */
  join(follower: TailFollower): FollowerGroup {
    const group = this.groups.get(follower.filterKey) ?? this.open(follower)
    group.members.add(follower)
    return group
  }

  leave(follower: TailFollower): void {
    const { filterKey } = follower
    const group = this.groups.get(filterKey)
    if (group === undefined) return
    group.members.delete(follower)
    if (group.members.size > 0) return
    this.groups.delete(filterKey)
    if (group.filter.owner !== undefined) this.ownedGroups--
  }

  /**
   * Adds the next page of the log, perhaps empty, and wakes the followers that want some of it. Yields between slices. Without
   * the owners of its orders, followers of one owner read it by themselves.
   */
  *append(next: DeferredEvents, owners?: OrderOwners): Generator<void> {
    this.failure = undefined
    if (next.last < next.first) return
    const page = new EventPage(next, owners)
    const length = page.last - page.first + 1
    const isNext = page.first === this.last + 1
    // Listeners that are awaited have taken the page before only now.
    this.forgetTaken()
    this.add(page)
    let [delivered, inSlice] = [0, 0]
    let begin = this.elapsed()
    for (const group of this.groups.values()) {
      group.selection = undefined
      if (isNext && !mayMatch(group.filter, page)) {
        group.passed = page.last
        if (!group.hasStuck) continue
      }
      group.hasStuck = false
      for (const follower of group.members) {
        // While this page was delivered in slices, the follower may have taken it.
        if (!follower.isWaiting || follower.position >= page.last) continue
        delivered += length
        follower.wake()
        if (delivered < this.step) continue
        inSlice += delivered
        delivered = 0
        const tookLong = this.elapsed() - begin >= longestSliceMillis
        this.step = tookLong ? 1 : Math.min(2 * this.step, longestStep)
        if (!tookLong && inSlice < mostInSlice) continue
        inSlice = 0
        yield
        begin = this.elapsed()
      }
    }
    // Fewer deliveries than a step are looked at, too: otherwise listeners that become slow would never shorten the steps.
    if (delivered > 0 && this.elapsed() - begin >= longestSliceMillis) this.step = 1
    this.forgetTaken()
  }

  /** Notes that the log could not be read, and wakes all followers. */
  fail(cause: Cause.Cause<StorageError>): void {
    this.failure = cause
    this.wakeAll()
  }

  wakeAll(): void {
    for (const { members } of this.groups.values()) {
      for (const follower of members) follower.wake()
    }
  }

  private open(follower: TailFollower): FollowerGroup {
    const group = new FollowerGroup(follower)
    this.groups.set(follower.filterKey, group)
    if (group.filter.owner !== undefined) this.ownedGroups++
    return group
  }

  private add(page: EventPage): void {
    const { first, last } = page
    // The events between may have been removed from the log before they were read.
    if (first !== this.last + 1) {
      this.pages = []
      this.first = first - 1
    }
    this.pages.push(page)
    if (page.owners === undefined) this.firstOwned = last
    this.first = Math.max(this.first, last - capacity)
    // Removed together, since each time moves the others.
    const [oldest] = this.pages
    if (oldest !== undefined && last - oldest.last >= 2 * capacity) {
      this.pages = this.pages.filter((one) => one.last > this.first)
    }
    this.last = last
  }

  /**
   * Forgets the pages if all followers have caught up. Events that live on for some commits would make V8 take them for long-lived: it
   * then allocates all like them among old objects, where they and what they refer to stay until a full collection.
   */
  private forgetTaken(): void {
    for (const group of this.groups.values()) if (!group.isLevel) return
    for (const group of this.groups.values()) group.selection = undefined
    this.pages = []
    this.first = this.last
  }

  /** The events after a position, up to another one, that a filter selects. Those of pages without any are not made. */
  private select({ filter, filterKey }: FollowerGroup, position: number, end: number): ReadonlyArray<Event> {
    const parts: Array<ReadonlyArray<Event>> = []
    // Most followers are near the end.
    let index = this.pages.length
    while ((this.pages[index - 1]?.last ?? 0) > position) index--
    for (let page = this.pages[index]; page !== undefined && page.first <= end; page = this.pages[++index]) {
      if (filterKey === undefined) parts.push(page.between(position, end))
      else if (mayMatch(filter, page)) parts.push(select(filter, page.between(position, end), page.owners))
    }
    return parts.length === 1 ? (parts[0] ?? []) : parts.flat()
  }
}
