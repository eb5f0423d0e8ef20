// Libraries run in real time: timers stay real if a test replaces the global ones.
import { clearTimeout, setImmediate, setTimeout } from "node:timers"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"

/** A statement failed in a library. */
export class StatementFailed {
  readonly _tag = "StatementFailed"
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** A library has not returned a result in time. It is unknown whether the statement has run, or will run yet. */
export class StatementTimedOut {
  readonly _tag = "StatementTimedOut"
}

export type LibraryError = StatementFailed | StatementTimedOut

/** How to wait for the result of a statement. */
export interface WaitOptions {
  /** Milliseconds. */
  readonly timeout: number
  /** Whether the statement ends the call: an interruption then shortens the wait, and the result still counts. */
  readonly isLast?: boolean
}

/** Milliseconds that an interrupted call waits for its running statement, so that it leaves nothing behind. */
export const gracePeriod = 250

/** Calls a library, and waits if it returns a promise. `onPending` is given that promise, which may settle after the wait. */
export const waitForResult = <A>(
  call: () => A | PromiseLike<A>,
  { isLast = false, timeout }: WaitOptions,
  onPending: (result: PromiseLike<unknown>) => void
): Effect.Effect<A, LibraryError> =>
  Effect.suspend(() => {
    try {
      const result = call()
      if (!Predicate.isPromiseLike(result)) return Exit.succeed(result)
      // Queries of some libraries run each time that then is called on them.
      const promise = Promise.resolve(result)
      onPending(promise)
      return isLast ? settledLast(promise, timeout) : settled(promise, timeout)
    } catch (cause) {
      return Exit.fail(new StatementFailed(cause))
    }
  })

const settled = <A>(result: PromiseLike<A>, timeout: number): Effect.Effect<A, LibraryError> =>
  Effect.callback((resume) => {
    const late = (): void => resume(Exit.fail(new StatementTimedOut()))
    // If the process itself was busy for so long, a result that has arrived comes first.
    const timer = setTimeout(() => setImmediate(late), timeout)
    let interrupted = (): void => {}
    const settle = (exit: Exit.Exit<A, StatementFailed>): void => {
      clearTimeout(timer)
      resume(exit)
      interrupted()
    }
    result.then(
      (value) => settle(Exit.succeed(value)),
      (cause) => settle(Exit.fail(new StatementFailed(cause)))
    )
    return Effect.callback<void>((done) => {
      clearTimeout(timer)
      const graceTimer = setTimeout(() => done(Effect.void), gracePeriod)
      interrupted = () => {
        clearTimeout(graceTimer)
        done(Effect.void)
      }
    })
  })

const settledLast = <A>(result: PromiseLike<A>, timeout: number): Effect.Effect<A, LibraryError> => {
  // An interruption that came earlier leaves no time for the first wait.
  let rest = Math.min(timeout, gracePeriod)
  const first = Effect.suspend(() => {
    rest = 0
    return settled(result, timeout)
  })
  return Effect.flatMap(Effect.exit(Effect.interruptible(first)), (exit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? settled(result, rest) : exit
  )
}
