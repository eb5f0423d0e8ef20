import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { HandlerStart } from "../consumers/EventHandler.ts"
import type { Event } from "../events/Event.ts"
import type { EventAttempt } from "./ConsumerMethods.ts"

/** The second argument of a handler. Its signal is made when the handler reads it: most do not. */
class Attempt implements EventAttempt {
  readonly attempt: number
  private controller: AbortController | undefined
  private isAborted = false

  constructor(attempt: number) {
    this.attempt = attempt
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.isAborted) this.controller.abort()
    return this.controller.signal
  }

  readonly abort = (): void => {
    this.isAborted = true
    this.controller?.abort()
  }
}

/** Starts a handler that is a function, perhaps an async one. */
export const startPromise =
  (handler: (event: Event, attempt: EventAttempt) => unknown): HandlerStart =>
  (event, number) => {
    const attempt = new Attempt(number)
    try {
      const result = handler(event, attempt)
      if (!Predicate.isPromiseLike(result)) return Exit.void
      return {
        onEnd: (end) => {
          Promise.resolve(result).then(
            () => end(Exit.void),
            (error) => end(Exit.fail(error))
          )
        },
        cancel: Effect.sync(attempt.abort)
      }
    } catch (error) {
      return Exit.fail(error)
    }
  }
