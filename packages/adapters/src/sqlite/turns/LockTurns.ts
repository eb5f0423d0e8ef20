import { clearTimeout, setImmediate, setTimeout } from "node:timers"
import { longestShortPauseMillis, machineClock, retrySoon, runAt } from "../connection/busyRetry.ts"
import { LockQueue } from "./LockQueue.ts"

/** A long queue leaves one turn of the event loop for this number of its members: Node.js accepts one connection in each turn. */
const membersPerTurn = 4
/** After how many milliseconds of such turns the next group runs anyway. */
const timeBetweenMillis = 5
/** For how many milliseconds after a refusal other processes are expected to write, too. */
const contentionMillis = 100
/** Milliseconds of a commit from which on the next process is woken before it. */
const longCommitMillis = 2
/** After how many milliseconds, on average, a process that waits to be woken tries for the lock nevertheless. */
const retryIntervalMillis = 8
/** After how many milliseconds a process that has woken another one tries for the lock nevertheless. */
const yieldTimeMillis = 1

/**
 * Decides when a process tries for the lock of the file, so that processes that write take turns. One that was refused waits until
 * another one that releases the lock wakes it; if the others that write do not do that, it tries often. One that has just released
 * the lock leaves it free for long enough that another one takes it.
 */
export class LockTurns {
  private readonly database: string
  /** The processes that wait, with the part of this one since it was refused first. */
  private queue: LockQueue | undefined
  private waitingSince: number | undefined
  private refusedAt = Number.NEGATIVE_INFINITY
  private releasedAt = Number.NEGATIVE_INFINITY
  private releasingAt = 0
  /** How many milliseconds a commit takes, without the checkpoint that some are followed by. */
  private commitTime = 0
  /** Until when it is the turn of this process. */
  private turnEnds = Number.NEGATIVE_INFINITY
  /** Whether this process has woken another one when it released the lock. */
  private hasWoken = false
  private onWake = (): void => {}

  /** `database`: the path of the file, without links. */
  constructor(database: string) {
    this.database = database
  }

  /** Whether other processes write too, or have just done so. */
  get isContended(): boolean {
    return this.waitingSince !== undefined || machineClock.now() - this.refusedAt < contentionMillis
  }

  /** Records that another process holds the lock. Returns whether the wait for it begins with that. */
  refused(): boolean {
    this.refusedAt = machineClock.now()
    this.enter()
    const isFirst = this.waitingSince === undefined
    this.waitingSince ??= this.refusedAt
    return isFirst
  }

  /** Records that the lock was taken, or that nothing waits for it any more. */
  endWait(): void {
    this.waitingSince = undefined
    this.turnEnds = Number.NEGATIVE_INFINITY
    this.queue?.leave()
  }

  /**
   * Records that this process is about to commit. To wake the next process now saves the time that this takes, and costs its attempts
   * until the end of the commit, for which several processes seldom have enough processors.
   */
  releasing(): void {
    this.releasingAt = machineClock.now()
    this.queue?.wakeFirst(this.commitTime > longCommitMillis ? undefined : 1)
  }

  /** Records that this process has released the lock. */
  released(): void {
    this.releasedAt = machineClock.now()
    this.commitTime = Math.min(this.releasedAt - this.releasingAt, 1.2 * this.commitTime + 0.05)
    this.hasWoken = this.queue?.wakeFirst() === true
    if (this.hasWoken) this.refusedAt = this.releasedAt
  }

  /** Runs a task, which takes the lock, when it is its turn; `after`: how many members the group had that has just ended, if one has. */
  take(task: () => void, after: number): void {
    const time = machineClock.now()
    if (this.waitingSince !== undefined) this.takeAgain(task, time, this.waitingSince)
    else if (this.hasWoken && time - this.releasedAt < yieldTimeMillis) {
      this.enter()
      this.awaitWake(task, this.releasedAt + yieldTimeMillis)
    } else if (time - this.refusedAt < contentionMillis) runAt(this.releasedAt + longestShortPauseMillis, task)
    // Not a microtask: callers from sockets arrive one by one within the same turn.
    else afterTurns(Math.max(1, after / membersPerTurn), task, time)
  }

  /** Ends the part of this process in the turns. */
  close(): void {
    this.queue?.close()
  }

  private enter(): void {
    this.queue ??= new LockQueue(this.database, () => {
      // The next one is woken once more after the commit.
      this.turnEnds = machineClock.now() + 1.5 * this.commitTime + 0.5
      this.onWake()
    })
    this.queue.enter()
  }

  private takeAgain(task: () => void, time: number, since: number): void {
    if (time < this.turnEnds || this.queue?.willBeWoken !== true) retrySoon(time - since, task)
    else this.awaitWake(task, time + retryIntervalMillis * (0.5 + Math.random()))
  }

  /** Runs a task when another process wakes this one, or at a time. */
  private awaitWake(task: () => void, time: number): void {
    const start = (): void => {
      clearTimeout(timer)
      this.onWake = () => {}
      task()
    }
    // Timers count whole milliseconds, and may end up to one early.
    const expire = (): void => {
      if (machineClock.now() < time) timer = startTimer()
      else start()
    }
    const startTimer = () => setTimeout(expire, Math.max(1, Math.ceil(time - machineClock.now())))
    let timer = startTimer()
    this.onWake = start
  }
}

/** Runs a task after this number of turns of the event loop, or in the first turn after {@link timeBetweenMillis}. */
const afterTurns = (turns: number, task: () => void, start: number): void => {
  setImmediate(() => {
    if (turns > 1 && machineClock.now() - start < timeBetweenMillis) afterTurns(turns - 1, task, start)
    else task()
  })
}
