/** For how many milliseconds tasks run before the event loop goes on. */
const slice = 5
/** For how many milliseconds the next slice waits while connections are being accepted and nothing else is to be done. */
const acceptTime = 5
/** For how many milliseconds it waits then for work that has begun, whose turns are long. */
const busyTime = 20

/** A task, such as a request that is to be handled. */
type Task = () => void

/**
 * Runs tasks in slices of a few milliseconds. Node accepts one connection in each turn of its event loop, so without an end
 * to a turn's work a thousand busy clients would keep new ones waiting for minutes.
 */
export class TimeSlices {
  private readonly accepted: () => number
  private readonly isBusy: () => boolean
  private readonly now: () => number
  private readonly nextTurn: (turn: () => void) => void
  private tasks: Array<Task> = []
  private at = 0
  private open = false
  private startedAt = 0
  private acceptedBefore = 0
  private endedAt = 0
  private idleSince: number | undefined

  /**
   * `accepted`: how many connections were accepted so far. `isBusy`: whether work is going on that tasks began. The others are
   * for tests.
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

  /** How many tasks wait. */
  get size(): number {
    return this.tasks.length - this.at
  }

  /** Runs a task, now if the slice has time left; tasks run in their order. */
  run(task: Task): void {
    if (!this.open) this.begin()
    if (this.size === 0 && this.hasTime()) task()
    else this.tasks.push(task)
  }

  private begin(): void {
    this.open = true
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
      return
    }
    if (!this.waits()) {
      this.startSlice()
      this.work()
      this.endedAt = this.now()
      this.idleSince = undefined
    }
    this.nextTurn(this.turn)
  }

  /** Whether the turn is left to connections that are being accepted. */
  private waits(): boolean {
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
