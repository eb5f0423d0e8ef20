import type { Event } from "../../domain/events/Event.ts"

/** How many events are kept at most until they are taken: some megabytes. */
const capacity = 8_192

/** The events that a store has passed along with its commits: they need not be read from the log. */
export class AppearedEvents {
  private events: Array<Event> = []
  /** How many of them were taken. */
  private taken = 0
  /** Whether more may have appeared than the store has passed. */
  private isMissingSome = false

  /** Adds what has appeared with a commit, in ascending `seq`; undefined if the log must be read for it. */
  add(appeared: ReadonlyArray<Event> | undefined): void {
    if (this.isMissingSome) return
    if (appeared === undefined || this.events.length - this.taken + appeared.length > capacity) this.miss()
    else for (const event of appeared) this.events.push(event)
  }

  /** Whether there may be some to take. */
  get hasSome(): boolean {
    return this.taken < this.events.length
  }

  /** Whether the log must be read. */
  get mustRead(): boolean {
    return this.isMissingSome
  }

  /** Forgets what has appeared: the log is about to be read up to now. */
  clear(): void {
    this.miss()
    this.isMissingSome = false
  }

  /** Notes that the log must be read for what has appeared. */
  miss(): void {
    this.events = []
    this.taken = 0
    this.isMissingSome = true
  }

  /**
   * Takes the events that have appeared after this `seq`, up to the limit; undefined if the log must be read for them. Events of other
   * processes in between show by a gap.
   */
  after(last: number, limit: number): ReadonlyArray<Event> | undefined {
    if (this.isMissingSome) return undefined
    const { events } = this
    // They may have been read together with others.
    while ((events[this.taken]?.seq ?? Number.POSITIVE_INFINITY) <= last) this.taken++
    const page = events.slice(this.taken, this.taken + limit)
    if (!page.every(({ seq }, index) => seq === last + 1 + index)) return undefined
    this.taken += page.length
    if (this.taken === events.length) this.clear()
    return page
  }
}
