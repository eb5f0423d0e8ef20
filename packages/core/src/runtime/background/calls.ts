/** How background work calls code of others: handlers of messages and events, and senders of webhooks. */

import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import { outsideBodies } from "../../programs/transactions/TransactionBody.ts"

/** A call that has not returned yet. */
export interface RunningCall<A = unknown> {
  /** Calls a function once when it ends. */
  readonly onEnd: (end: (exit: Exit.Exit<A, unknown>) => void) => void
  /** Ends it because nobody waits any more. */
  readonly cancel: Effect.Effect<unknown>
}

/** A call that has begun: its exit if it has returned already. */
export type StartedCall<A = unknown> = Exit.Exit<A, unknown> | RunningCall<A>

/** Runs an effect in a fiber. */
export type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** Runs an effect in a fiber of its own. */
export const startFiber = <A>(effect: Effect.Effect<A, unknown>, fork: Fork): StartedCall<A> => {
  const fiber = fork(effect)
  return (
    fiber.pollUnsafe() ?? {
      onEnd: (end) => {
        fiber.addObserver(end)
      },
      cancel: Fiber.interrupt(fiber)
    }
  )
}

/** Has a signal that ends a call, made when it is read: most calls end without it. */
export class CallSignal {
  private controller: AbortController | undefined = undefined
  private isAborted = false

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.isAborted) this.controller.abort()
    return this.controller.signal
  }

  abort(): void {
    this.isAborted = true
    this.controller?.abort()
  }
}

/** Calls a function, perhaps an async one, without a fiber. `signal` is aborted if nobody waits for it any more. */
export const startFunction = (call: () => unknown, signal: CallSignal): StartedCall => {
  try {
    const result = outsideBodies(call)
    return Predicate.isPromiseLike(result) ? startedPromise(result, signal) : Exit.void
  } catch (error) {
    return Exit.fail(error)
  }
}

const startedPromise = (promise: PromiseLike<unknown>, signal: CallSignal): RunningCall => ({
  onEnd: (end) => {
    Promise.resolve(promise).then(
      () => end(Exit.void),
      (error) => end(Exit.fail(error))
    )
  },
  cancel: Effect.sync(() => signal.abort())
})

interface Platform {
  readonly process?: {
    readonly getBuiltinModule?: (id: "node:async_hooks") => AsyncHooks | undefined
  }
}

/** What is used of the module of Node.js; core has no types of it. */
interface AsyncHooks {
  readonly AsyncLocalStorage: { readonly snapshot: () => <A>(call: () => A) => A }
}

/** Returns a function that calls others in the asynchronous context of this moment, where the platform has such contexts. */
export const asyncContext = (): (<A>(call: () => A) => A) => {
  const { process }: Platform = globalThis as Platform
  return process?.getBuiltinModule?.("node:async_hooks")?.AsyncLocalStorage.snapshot() ?? ((call) => call())
}

/** A call as an effect, which cancels it when it is interrupted. */
export const callEffect = (start: () => StartedCall): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const started = start()
    if (!("onEnd" in started)) return started
    return Effect.callback((resume) => {
      started.onEnd(resume)
      return started.cancel
    })
  })
