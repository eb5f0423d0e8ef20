// Waiting is measured in real time: timers stay real where a test replaces the global ones.
import { clearTimeout, setTimeout } from "node:timers"
import { StorageBusy } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Who has a turn. */
export interface MutexHolder {
  /** What it does now, for those who wait behind it. */
  readonly describe: () => string
}

/** Lets one after the other do what only one can do at a time, first come, first served. */
export class Mutex {
  private holder: MutexHolder | undefined
  private readonly waiting = new Set<() => void>()

  /** Takes the turn once those before have given it back. Waits for so many milliseconds, then fails and names who has it. */
  take(holder: MutexHolder, timeout: number): Effect.Effect<void, StorageBusy> {
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
          resume(Exit.fail(new StorageBusy({}, { message: `Another call is in the way: ${this.holder?.describe()}` })))
        }
        const timer = setTimeout(late, timeout)
        this.waiting.add(next)
        return Effect.sync(() => {
          clearTimeout(timer)
          this.waiting.delete(next)
          // It may have come to this one at the moment of its interruption.
          this.release(holder)
        })
      })
    })
  }

  /** Lets the next one in, if this one has the turn. */
  release(holder: MutexHolder): void {
    if (this.holder !== holder) return
    this.holder = undefined
    const [next] = this.waiting
    if (next === undefined) return
    this.waiting.delete(next)
    next()
  }
}
