// Waiting is measured in real time: timers stay real where a test replaces the global ones.
import { clearTimeout, setTimeout } from "node:timers"
import { StorageBusy } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** What holds a mutex. */
export interface MutexHolder {
  /** Describes what it does now, for the errors of those that wait. */
  readonly describe: () => string
}

/** A lock that one holder has at a time, granted in the order of the requests. */
export class Mutex {
  private holder: MutexHolder | undefined
  private readonly waiting = new Set<() => void>()

  /** Acquires the mutex if nothing holds it, and returns whether it did. */
  tryAcquire(holder: MutexHolder): boolean {
    if (this.holder !== undefined) return false
    this.holder = holder
    return true
  }

  /** Acquires the mutex. Fails after `timeout` milliseconds, with a message that describes the holder. */
  acquire(holder: MutexHolder, timeout: number): Effect.Effect<void, StorageBusy> {
    return Effect.suspend(() => {
      if (this.holder === undefined) {
        this.holder = holder
        return Exit.void
      }
      return Effect.callback<void, StorageBusy>((resume) => {
        const next = (): void => {
          clearTimeout(timer)
          this.holder = holder
          resume(Exit.void)
        }
        const late = (): void => {
          this.waiting.delete(next)
          resume(
            Exit.fail(
              new StorageBusy({}, { message: `Timed out waiting for another call: ${this.holder?.describe()}` })
            )
          )
        }
        const timer = setTimeout(late, timeout)
        this.waiting.add(next)
        return Effect.sync(() => {
          clearTimeout(timer)
          this.waiting.delete(next)
          // It may have been granted at the moment of the interruption.
          this.release(holder)
        })
      })
    })
  }

  /** Grants the mutex to the next one that waits, if this holder has it. */
  release(holder: MutexHolder): void {
    if (this.holder !== holder) return
    this.holder = undefined
    const [next] = this.waiting
    if (next === undefined) return
    this.waiting.delete(next)
    next()
  }
}
