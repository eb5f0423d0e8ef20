import * as Exit from "effect/Exit"
import type { Event } from "../../domain/events/Event.ts"

/** How far ahead of the first event that is not handled others may be handled, for each one at the same time. */
const reachOfEach = 16

export interface WindowEntry {
  readonly event: Event
  /** How its last attempt ended. */
  exit: Exit.Exit<unknown, unknown> | undefined
  isRunning: boolean
}

/**
 * The next events of a consumer that handles several at the same time. Those of one subject are handled one after the other, in
 * order. Events leave the window in order, as soon as all before them have left it.
 */
export class EventWindow {
  private readonly entries: Array<WindowEntry> = []
  private readonly concurrency: number
  private readonly reach: number
  private running = 0

  /** `concurrency`: how many events are handled at the same time. */
  constructor(concurrency: number) {
    this.concurrency = concurrency
    this.reach = concurrency * reachOfEach
  }

  /** Whether an event is being handled. */
  get isRunning(): boolean {
    return this.running > 0
  }

  /** Whether more events should be added. */
  get hasRoom(): boolean {
    return this.entries.length < this.reach
  }

  /** The first event. */
  get head(): WindowEntry | undefined {
    return this.entries[0]
  }

  /** Adds the events that follow. */
  add(events: ReadonlyArray<Event>): void {
    for (const event of events) this.entries.push({ event, exit: undefined, isRunning: false })
  }

  /**
   * The next event that may be handled now: none of its subject before it is left, and no event before it has failed. With
   * `headOnly`, no other than the first.
   */
  next(headOnly: boolean): WindowEntry | undefined {
    if (this.running === this.concurrency) return undefined
    const subjects = new Set<string>()
    for (const entry of this.entries.slice(0, headOnly ? 1 : this.reach)) {
      const { event, exit, isRunning } = entry
      if (exit !== undefined) {
        if (Exit.isFailure(exit)) return undefined
        continue
      }
      if (!isRunning && !subjects.has(event.subject)) return entry
      subjects.add(event.subject)
    }
    return undefined
  }

  /** Notes that an event is being handled. */
  started(entry: WindowEntry): void {
    this.running++
    entry.isRunning = true
  }

  /** Notes how an attempt has ended. */
  ended(entry: WindowEntry, exit: Exit.Exit<unknown, unknown>): void {
    this.running--
    entry.isRunning = false
    entry.exit = exit
  }

  /** Removes the first event. */
  shift(): void {
    this.entries.shift()
  }
}
