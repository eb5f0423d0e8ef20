/** For how many milliseconds tasks run before the event loop continues. */
const slice = 5
/** For how many milliseconds the next slice waits while connections are accepted and no task has work in progress. */
const acceptTime = 5
/** For how many milliseconds it waits while tasks have work in progress, whose turns of the event loop are long. */
const busyTime = 20

/** A task, such as handling a request. */
type Task = () => void

/**
 * Runs tasks in slices of a few milliseconds. Node accepts one connection in each turn of its event loop, so without a limit
 * on the work of a turn, a thousand busy clients would keep new connections waiting for minutes.
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
  private tasks: Array<Task> = []
  private at = 0
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
    return this.tasks.length - this.at
  }

  /** Runs a task: now if no task is queued and the slice has time left, else in its order. */
  run(task: Task): void {
    if (!this.open) this.begin()
    if (this.size === 0 && this.hasTime()) task()
    else this.tasks.push(task)
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
    return this.now() - this.startedAt < slice
  }

  private readonly turn = (): void => {
    if (this.size === 0) {
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
    return this.idleSince === undefined ? now - this.endedAt < busyTime : now - this.idleSince < acceptTime
  }

  private work(): void {
    do {
      const task = this.tasks[this.at++]
      task?.()
    } while (this.size > 0 && this.hasTime())
    if (this.size > 0 && this.at < 1_024) return
    this.tasks = this.tasks.slice(this.at)
    this.at = 0
  }
}
