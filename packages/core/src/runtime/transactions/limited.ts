import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { RequestTimeout } from "../../domain/errors/ServiceErrors.ts"
import { type Asker, ask, type Cancel, Direct, type Done } from "../../ports/Direct.ts"
import { isSystemClock } from "../background/sleep.ts"

const tookTooLong = (): Exit.Exit<never, RequestTimeout> =>
  Exit.fail(
    new RequestTimeout(
      {},
      {
        message:
          "The body of the transaction took longer than its timeout. Nothing was changed. It may have waited for a transaction that your app has open on the same database."
      }
    )
  )

/** A timer of JavaScript takes no more milliseconds. */
const longestTimerMillis = 2 ** 31 - 1

/** Calls a function after a delay. A timer costs less than a fiber that sleeps, which is only needed for a clock of the caller. */
const startTimer = (asker: Asker, milliseconds: number, onLate: () => void): Cancel => {
  if (milliseconds > longestTimerMillis || !isSystemClock(Context.get(asker.services, Clock.Clock)))
    return ask(Effect.sleep(milliseconds), asker, (exit) => {
      if (Exit.isSuccess(exit)) onLate()
    })
  const timer = setTimeout(onLate, milliseconds)
  return () => clearTimeout(timer)
}

/** The body of a transaction, with a limit of its time. */
class Limited<A, E> extends Direct<A, E | RequestTimeout> {
  private readonly body: Effect.Effect<A, E>
  private readonly milliseconds: number

  constructor(body: Effect.Effect<A, E>, milliseconds: number) {
    super()
    this.body = body
    this.milliseconds = milliseconds
  }

  run(asker: Asker, done: Done<A, E | RequestTimeout>): Cancel {
    let hasEnded = false
    let cancelTimer: Cancel = () => {}
    const end = (exit: Exit.Exit<A, E | RequestTimeout>): void => {
      if (hasEnded) return
      hasEnded = true
      cancelTimer()
      done(exit)
    }
    const cancel = ask(this.body, asker, end)
    if (hasEnded) return cancel
    cancelTimer = startTimer(asker, this.milliseconds, () => {
      end(tookTooLong())
      cancel()
    })
    return cancel
  }

  asEffect(): Effect.Effect<A, E | RequestTimeout> {
    return Effect.timeoutOrElse(this.body, { duration: this.milliseconds, orElse: tookTooLong })
  }
}

/** The body of a transaction, which fails if it takes longer than this number of milliseconds. */
export const limited = <A, E>(body: Effect.Effect<A, E>, milliseconds: number): Direct<A, E | RequestTimeout> =>
  new Limited(body, milliseconds)
