import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { theStore } from "../domain/access/Principal.ts"
import { type Asker, Direct } from "../ports/Direct.ts"
import { outsideBodies } from "../programs/transactions/TransactionBody.ts"
import { closedPetstore } from "./eventIterator.ts"
import type { RunExit } from "./promiseApi.ts"

/** Runs the calls of one petstore, and knows which of them have not returned. */
export class OpenCalls {
  private readonly asker: Asker
  private readonly runFork: ReturnType<typeof Effect.runForkWith<never>>
  private open = 0
  private onIdle = (): void => {}
  private isClosed = false

  constructor(services: Context.Context<never>) {
    this.asker = { principal: theStore, services, isPlain: true, onStart: () => undefined }
    this.runFork = Effect.runForkWith(services)
  }

  /** Runs a call, also while the petstore closes: a transaction that is open then goes on to its end. */
  readonly always: RunExit = (effect, callOptions) => {
    if (effect instanceof Direct && callOptions.signal === undefined && callOptions.uninterruptible !== true) {
      return this.outcome((done) => outsideBodies(() => effect.run(this.asker, done)))
    }
    const fiber = outsideBodies(() => this.runFork(effect, callOptions))
    // Most reads have ended by now: they need no other promise than that of their caller.
    return fiber.pollUnsafe() ?? this.outcome((done) => fiber.addObserver(done))
  }

  readonly unlessClosed: RunExit = (effect, callOptions) =>
    this.isClosed ? Exit.fail(closedPetstore()) : this.always(effect, callOptions)

  /** A signal cancels only the body of a call: once a call in a host transaction has begun to write, its outcome counts. */
  readonly joined: RunExit = (effect, callOptions) =>
    this.unlessClosed(effect, { ...callOptions, uninterruptible: true })

  /** Refuses calls from now on, and returns when those that run have returned. */
  close(): Promise<void> {
    this.isClosed = true
    return this.open === 0 ? Promise.resolve() : new Promise((resolve) => (this.onIdle = resolve))
  }

  /** The outcome of what calls back: at once, or of a call that `close` waits for. */
  private outcome<A, E>(begin: (done: (exit: Exit.Exit<A, E>) => void) => void) {
    let ended: Exit.Exit<A, E> | undefined
    let onEnd = (exit: Exit.Exit<A, E>): void => {
      ended = exit
    }
    begin((exit) => onEnd(exit))
    if (ended !== undefined) return ended
    this.open++
    return new Promise<Exit.Exit<A, E>>((resolve) => {
      onEnd = (exit) => {
        this.open--
        if (this.open === 0) this.onIdle()
        resolve(exit)
      }
    })
  }
}
