import type { Event } from "../../domain/events/Event.ts"
import type { EventFilter } from "../../domain/events/EventFilter.ts"

/** A follower at the end of the log. */
export interface TailFollower {
  readonly filter: EventFilter
  /** The same for filters that select the same; undefined for one that selects everything. */
  readonly filterKey: string | undefined
  /** The `seq` that it has read up to. */
  readonly position: number
  /** Whether it has taken what there is, and is to be woken when there is more. */
  readonly isWaiting: boolean
  /** Called when there is something to take, a failure, or the end. It must return at once and not throw. */
  wake(): void
}

/** What a group selects of one part of the log. */
interface Selection {
  /** The part begins after this `seq`, and ends with {@link through}. */
  readonly after: number
  readonly through: number
  readonly events: ReadonlyArray<Event>
}

/** Followers whose filters select the same events. A page without such events is checked once for all of them. */
export class FollowerGroup {
  readonly filter: EventFilter
  readonly filterKey: string | undefined
  readonly members = new Set<TailFollower>()
  /** The `seq` of the last event that nobody here wanted: members that had caught up before it, and wait, have read up to there. */
  passed = 0
  /** Whether a waiting member has not caught up. If so, the next page wakes it, whatever it contains. */
  hasStuck = false
  /** How many members wait, and had caught up when they began to. */
  level = 0
  /** What was selected last, for members at the same place; undefined if it is of no more use. */
  selection: Selection | undefined

  constructor({ filter, filterKey }: Pick<TailFollower, "filter" | "filterKey">) {
    this.filter = filter
    this.filterKey = filterKey
  }

  /** Whether every member waits, and has caught up. */
  get isLevel(): boolean {
    return this.level === this.members.size
  }
}
