// Other processes hold locks in real time: timers and clock stay real if a test replaces the global ones.
import { clearTimeout, setTimeout } from "node:timers"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { isBusy } from "./errors.ts"

/** Milliseconds of real time. */
export const now = performance.now.bind(performance)

/** Milliseconds to wait after this many attempts: 1 to 16, with jitter so that processes do not retry in step. */
export const retryDelay = (attempts: number): number => (0.5 + Math.random()) * Math.min(2 ** attempts, 16)

/**
 * Retries while another connection holds the lock, for at most `timeout` milliseconds and without blocking the event loop.
 * Then fails with the error that `explain` returns.
 */
export const retryWhileBusy = <A>(
  timeout: number,
  explain: (cause: unknown) => StorageError,
  attempt: () => A
): Effect.Effect<A, StorageError> =>
  Effect.callback((resume) => {
    const deadline = now() + timeout
    let attempts = 0
    let timer: NodeJS.Timeout | undefined
    const next = (): void => {
      try {
        resume(Effect.succeed(attempt()))
      } catch (cause) {
        if (isBusy(cause) && now() < deadline) timer = setTimeout(next, retryDelay(attempts++))
        else resume(Effect.fail(explain(cause)))
      }
    }
    next()
    return Effect.sync(() => clearTimeout(timer))
  })
