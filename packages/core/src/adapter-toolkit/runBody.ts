import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import { OnTransactionStart } from "../ports/OnTransactionStart.ts"

const dispatchers = new Scheduler.MixedScheduler()

/**
 * Nothing in a body yields by itself; what it forks or yields waits here, apart from what other bodies do, so that a
 * body inside another never runs steps of the outer one.
 */
class BodyScheduler implements Scheduler.Scheduler {
  readonly executionMode = "sync"
  private dispatcher: Scheduler.SchedulerDispatcher | undefined

  shouldYield(): boolean {
    return false
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    this.dispatcher ??= dispatchers.makeDispatcher()
    return this.dispatcher
  }

  /** Runs what waits until nothing does. */
  drain(): void {
    this.dispatcher?.flush()
  }
}

/**
 * Runs the body of a transaction or snapshot to its end in this very turn of the event loop, for adapters whose storage
 * calls are synchronous. A body that waits for anything is interrupted and dies, so that it cannot hold up its
 * neighbours. Run a transaction inside another with this too: nothing of the outer body happens in between.
 */
export const runBody = <A, E, R>(context: Context.Context<R>, body: Effect.Effect<A, E, R>): Exit.Exit<A, E> => {
  try {
    const scheduler = new BodyScheduler()
    Context.get(context, OnTransactionStart)()
    const fiber = Effect.runForkWith(Context.add(context, Scheduler.Scheduler, scheduler))(body)
    if (fiber.pollUnsafe() === undefined) scheduler.drain()
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return exit
    fiber.interruptUnsafe()
    return Exit.die(
      new Error("The body of a transaction waited for something other than its store. Do that before or after it.")
    )
  } catch (defect) {
    // What the caller has around its body, such as OnTransactionStart, runs outside the fiber.
    return Exit.die(defect)
  }
}
