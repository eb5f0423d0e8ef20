/** For how many milliseconds tasks run before the event loop continues. */
const sliceMillis = 5
/** For how many milliseconds the next slice waits while connections are accepted and no task has work in progress. */
const acceptTimeMillis = 5
/** For how many milliseconds it waits while tasks have work in progress, whose turns of the event loop are long. */
const busyTimeMillis = 20

/** A task, such as handling a request. */
export type Task = () => void

/** Those who wait in one line take turns with those of the other lines. */
export interface Line {
  /** For the queue alone. */
  readonly tasks: Array<Task>
  /** Lines of clients with valid credentials get every other turn. */
  readonly isTrusted: boolean
}

/** Lines in the order in which they are served. */
class Lines {
  private all: Array<Line> = []
  private at = 0

  push(line: Line): void {
    this.all.push(line)
  }

  shift(): Line | undefined {
    if (this.at === this.all.length) return undefined
    const line = this.all[this.at++]
    if (this.at === this.all.length || this.at === 1_024) {
      this.all = this.all.slice(this.at)
      this.at = 0
    }
    return line
  }
}

/**
 * Runs tasks in slices of a few milliseconds. Node accepts one connection in each turn of its event loop, so without a limit
 * on the work of a turn, a thousand busy clients would keep new connections waiting for minutes.
 *
 * The tasks of each line run in their order, and the lines take turns: a client that sends many requests at once delays no other.
 */
export class TimeSlicedQueue {
  private readonly accepted: () => number
  private readonly isBusy: () => boolean
  private readonly now: () => number
  private readonly nextTurn: (turn: () => void) => void
  /**
   * The same for tasks of which each was waiting when the first of them ran, and another for all others: what is checked for
   * one of them, such as whether a key is still valid, holds for all. Undefined while no slice is open.
   */
  arrival: object | undefined
  private queued = 0
  private readonly trusted = new Lines()
  private readonly others = new Lines()
  private isTurnOfTrusted = false
  /** The line whose turn it is, until its task has added another, which runs in the same turn: what has been parsed is also handled. */
  private served: Line | undefined
  private open = false
  private startedAt = 0
  private acceptedBefore = 0
  private endedAt = 0
  private idleSince: number | undefined

  /**
   * `accepted`: returns how many connections were accepted so far. `isBusy`: returns whether tasks have work in progress.
   * Tests pass the others.
   */
  constructor(
    accepted: () => number,
    isBusy: () => boolean,
    now: () => number = () => performance.now(),
    nextTurn: (turn: () => void) => void = setImmediate
  ) {
    this.accepted = accepted
    this.isBusy = isBusy
    this.now = now
    this.nextTurn = nextTurn
  }

  /** How many tasks are queued. */
  get size(): number {
    return this.queued
  }

  /** Whether a task would run now. */
  isFree(): boolean {
    if (!this.open) this.begin()
    return this.queued === 0 && this.hasTime()
  }

  /** Runs a task: now if no task is queued and the slice has time left, or in the turn of its line, else when it is its turn. */
  run(task: Task, line: Line): void {
    if (this.isFree() || (line === this.served && line.tasks.length === 0)) {
      this.served = undefined
      task()
    } else this.add(task, line)
  }

  /** Runs a task when it is its turn. */
  add(task: Task, line: Line): void {
    this.queued++
    if (line.tasks.push(task) === 1) this.join(line)
  }

  private begin(): void {
    this.open = true
    this.arrival = {}
    this.startSlice()
    this.endedAt = this.startedAt
    this.nextTurn(this.turn)
  }

  private startSlice(): void {
    this.startedAt = this.now()
    this.acceptedBefore = this.accepted()
  }

  private hasTime(): boolean {
    return this.now() - this.startedAt < sliceMillis
  }

  private readonly turn = (): void => {
    if (this.queued === 0) {
      this.open = false
      this.arrival = undefined
      return
    }
    if (!this.yieldsTurn()) {
      this.startSlice()
      this.arrival = {}
      this.work()
      // What runs before the next turn arrives in a later phase of the event loop.
      this.arrival = {}
      this.endedAt = this.now()
      this.idleSince = undefined
    }
    this.nextTurn(this.turn)
  }

  /** Whether this turn is left to connections that are being accepted. */
  private yieldsTurn(): boolean {
    const accepted = this.accepted()
    if (accepted === this.acceptedBefore) return false
    this.acceptedBefore = accepted
    const now = this.now()
    if (this.idleSince === undefined && !this.isBusy()) this.idleSince = now
    return this.idleSince === undefined ? now - this.endedAt < busyTimeMillis : now - this.idleSince < acceptTimeMillis
  }

  private work(): void {
    do this.next()?.()
    while (this.queued > 0 && this.hasTime())
    this.served = undefined
  }

  private join(line: Line): void {
    const lines = line.isTrusted ? this.trusted : this.others
    lines.push(line)
  }

  private next(): Task | undefined {
    const { others, trusted } = this
    this.isTurnOfTrusted = !this.isTurnOfTrusted
    const line = this.isTurnOfTrusted ? (trusted.shift() ?? others.shift()) : (others.shift() ?? trusted.shift())
    this.queued--
    const task = line?.tasks.shift()
    if (line !== undefined && line.tasks.length > 0) this.join(line)
    this.served = line
    return task
  }
}
