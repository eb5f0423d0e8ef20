import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import { OnTransactionStart } from "../ports/Transaction.ts"
import { BodyScheduler, waitedElsewhere } from "./runBody.ts"
import type { StorageCalls } from "./StorageCalls.ts"

/**
 * Runs the body of a transaction, for adapters whose storage calls are asynchronous; {@link runBody} is the synchronous
 * twin. `calls` counts the open storage calls of this body, and of this body only: give each run and each nested part its
 * own. A body that waits while none is open waits for something other than its store: it is interrupted and dies, so that
 * it cannot hold its locks for long.
 *
 * The body starts within this turn of the event loop. From then on an interruption of the caller waits for the outcome.
 */
export const runBodyAsync = <A, E, R>(
  context: Context.Context<R>,
  body: Effect.Effect<A, E, R>,
  calls: StorageCalls
): Effect.Effect<A, E> =>
  Effect.uninterruptible(Effect.callback<A, E>((resume) => new RunningBody(calls, resume).start(context, body)))

class RunningBody<A, E> {
  private readonly calls: StorageCalls
  private readonly onEnd: (exit: Exit.Exit<A, E>) => void
  private readonly scheduler = new BodyScheduler()
  private fiber: Fiber.Fiber<A, E> | undefined
  private isInTurn = false
  private hasWaitedElsewhere = false
  private hasEnded = false

  constructor(calls: StorageCalls, onEnd: (exit: Exit.Exit<A, E>) => void) {
    this.calls = calls
    this.onEnd = onEnd
  }

  start<R>(context: Context.Context<R>, body: Effect.Effect<A, E, R>): void {
    try {
      Context.get(context, OnTransactionStart)()
    } catch (defect) {
      this.end(Exit.die(defect))
      return
    }
    this.calls.resumeBy((step) => this.turn(step))
    this.turn(() => {
      this.fiber = Effect.runForkWith(Context.add(context, Scheduler.Scheduler, this.scheduler))(body)
      this.fiber.addObserver((exit) => this.end(this.hasWaitedElsewhere ? Exit.die(waitedElsewhere()) : exit))
    })
  }

  /** Lets the body take a step and go on as far as it can. Ends it if no storage call is what it waits for then. */
  private turn(step: () => void): void {
    // A call that settles at once, or by what this body does, is a part of the turn that runs.
    if (this.isInTurn) return void step()
    this.isInTurn = true
    step()
    if (!this.hasEnded) this.scheduler.drain()
    if (!this.hasEnded && this.calls.open === 0 && !this.hasWaitedElsewhere) {
      this.hasWaitedElsewhere = true
      this.fiber?.interruptUnsafe()
      this.scheduler.drain()
    }
    this.isInTurn = false
    // What runs after the interruption may call the store, but wait for nothing else either.
    if (this.hasWaitedElsewhere && this.calls.open === 0) this.end(Exit.die(waitedElsewhere()))
  }

  private end(exit: Exit.Exit<A, E>): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.calls.resumeBy(undefined)
    this.onEnd(exit)
  }
}
