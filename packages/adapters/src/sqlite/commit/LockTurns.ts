import { setImmediate } from "node:timers"
import { longestShortPause, now, retrySoon, runAt } from "../connection/busyRetry.ts"

/** Turns of the event loop from one group to the next of a long queue: Node.js accepts one connection in each turn. */
const turnsBetween = 16
/** After how many milliseconds of such turns the next group runs anyway. */
const timeBetween = 5
/** For how many milliseconds after a refusal other processes are expected to write, too. */
const contention = 100

/**
 * Decides when a process tries for the lock of the file, so that processes that write take turns: one that was refused tries often,
 * and one that has just released the lock leaves it free for long enough that another one takes it.
 */
export class LockTurns {
  private waitingSince: number | undefined
  private refusedAt = Number.NEGATIVE_INFINITY
  private releasedAt = Number.NEGATIVE_INFINITY

  /** Whether other processes write too, or have just done so. */
  get isContended(): boolean {
    return this.waitingSince !== undefined || now() - this.refusedAt < contention
  }

  /** Records that another process holds the lock. Returns whether the wait for it begins with that. */
  refused(): boolean {
    this.refusedAt = now()
    const isFirst = this.waitingSince === undefined
    this.waitingSince ??= this.refusedAt
    return isFirst
  }

  /** Records that the lock was taken, or that nothing waits for it any more. */
  endWait(): void {
    this.waitingSince = undefined
  }

  /** Records that this process has released the lock. */
  released(): void {
    this.releasedAt = now()
  }

  /** Runs a task, which takes the lock, when it is its turn; `isNext`: right after another task. */
  take(task: () => void, isNext: boolean): void {
    const time = now()
    if (this.waitingSince !== undefined) retrySoon(time - this.waitingSince, task)
    else if (time - this.refusedAt < contention) runAt(this.releasedAt + longestShortPause, task)
    // Not a microtask: callers from sockets arrive one by one within the same turn.
    else afterTurns(isNext ? turnsBetween : 1, task, time)
  }
}

/** Runs a task after so many turns of the event loop, or in the first turn after {@link timeBetween}. */
const afterTurns = (turns: number, task: () => void, start: number): void => {
  setImmediate(() => {
    if (turns > 1 && now() - start < timeBetween) afterTurns(turns - 1, task, start)
    else task()
  })
}
