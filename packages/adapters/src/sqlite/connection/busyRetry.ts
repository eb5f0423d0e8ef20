// Other processes hold locks in real time: timers and clock stay real if a test replaces the global ones.
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { isBusy } from "./errors.ts"

/** The clock of this machine, which a test may stop. */
export const machineClock = { now: performance.now.bind(performance) }

/** Milliseconds of real time. */
export const now = (): number => machineClock.now()

/**
 * Milliseconds from one attempt to the next while others take the lock and release it again: a fraction of what a commit takes.
 * Those who have waited longer try more often, so that the lock is theirs first.
 */
const shortPause = (waited: number): number => (waited < 4 ? 0.2 : waited < 16 ? 0.12 : 0.08)
/** The longest of them, with jitter. A process that leaves the lock free for that long lets another one take it. */
export const longestShortPauseMillis = 0.3
/** After this number of milliseconds, another process holds the lock for long: frequent attempts would only cost processor time. */
const longWaitMillis = 250

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/**
 * Blocks the thread for a fraction of a millisecond. Timers take one to two, in which other processes release the lock and take
 * it again; to run through the event loop instead would use the processor that they need.
 */
const nap = (milliseconds: number): void => {
  if (milliseconds > 0) Atomics.wait(sleeper, 0, 0, milliseconds)
}

/** Runs a task at a time, which is near, after other work of the event loop. Returns a function that cancels it. */
export const runAt = (time: number, task: () => void): (() => void) => {
  const immediate = setImmediate(() => {
    nap(time - now())
    task()
  })
  return () => clearImmediate(immediate)
}

/** Runs a task that tries for a lock again, after the caller has waited this number of milliseconds. Returns a function that cancels it. */
type Retry = (waited: number, task: () => void) => () => void

// Processes must not retry in step.
const jitter = (): number => 0.5 + Math.random()

const afterTimer = (milliseconds: number, task: () => void): (() => void) => {
  const timer = setTimeout(task, jitter() * Math.min(milliseconds, 16))
  return () => clearTimeout(timer)
}

/** For attempts that cost much, or that nobody makes twice: after 1 to 16 ms. */
export const retryByTimer: Retry = (waited, task) => afterTimer(Math.max(1, waited / 4), task)

/** For a lock that others take and release all the time: several times a millisecond, each after other work of the event loop. */
export const retrySoon: Retry = (waited, task) => {
  if (waited >= longWaitMillis) return afterTimer(waited / longWaitMillis, task)
  return runAt(now() + jitter() * shortPause(waited), task)
}

/**
 * Retries while another connection holds the lock, for at most `timeout` milliseconds and without blocking the event loop for more
 * than a fraction of one. Then fails with the error that `explain` returns.
 */
export const retryWhileBusy = <A>(
  timeout: number,
  explain: (cause: unknown) => StorageError,
  retry: Retry,
  call: () => A
): Effect.Effect<A, StorageError> =>
  Effect.callback((resume) => {
    const start = now()
    let cancel = (): void => {}
    const next = (): void => {
      try {
        resume(Effect.succeed(call()))
      } catch (cause) {
        const waited = now() - start
        if (isBusy(cause) && waited < timeout) cancel = retry(waited, next)
        else resume(Effect.fail(explain(cause)))
      }
    }
    next()
    return Effect.sync(() => cancel())
  })
