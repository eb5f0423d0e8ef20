import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"

const dispatchers = new Scheduler.MixedScheduler()

/**
 * Keeps the forked fibers and the yields of one body apart from those of other bodies, so that a body inside another never
 * runs steps of the outer one. A body yields only if it does so explicitly.
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

  /** Runs all waiting steps, until there are none. */
  drain(): void {
    this.dispatcher?.flush()
  }
}

/** The defect of a storage call that is made after the end of its snapshot. */
export const afterEnd = (): Error =>
  new Error("A storage call came after the end of its snapshot. Make it inside the body.")

/** The defect of a body that waits for anything else than its store. */
const waitedElsewhere = (): Error =>
  new Error("The body of a snapshot waited for something other than its store. Do that before or after the snapshot.")

/**
 * Runs the body of a snapshot from start to end within this turn of the event loop, for adapters whose storage calls are
 * synchronous. A body that waits for anything else is interrupted and dies, so that it cannot delay commands. Also runs a body
 * inside a body: no step of the outer one runs meanwhile.
 */
export const runBody = <A, E, R>(context: Context.Context<R>, body: Effect.Effect<A, E, R>): Exit.Exit<A, E> => {
  const scheduler = new BodyScheduler()
  const fiber = Effect.runForkWith(Context.add(context, Scheduler.Scheduler, scheduler))(body)
  if (fiber.pollUnsafe() === undefined) scheduler.drain()
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return exit
  fiber.interruptUnsafe()
  return Exit.die(waitedElsewhere())
}
