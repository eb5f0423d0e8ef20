import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import { ImmediateBody } from "../ports/ImmediateBody.ts"
import { OnTransactionStart } from "../ports/OnTransactionStart.ts"

const dispatchers = new Scheduler.MixedScheduler()

/**
 * Keeps the forked fibers and the yields of one body apart from those of other bodies, so that a body inside another never
 * runs steps of the outer one. A body yields only if it does so explicitly.
 */
export class BodyScheduler implements Scheduler.Scheduler {
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

/** The defect of a body that waits for anything else than its store. */
export const waitedElsewhere = (): Error =>
  new Error(
    "The body of a transaction waited for something other than its store. Do that before or after the transaction."
  )

/** Begins to run a body, and returns what is left of it for a fiber: nothing if it is an exit. */
export const beginBody = <A, E, R>(
  context: Context.Context<never>,
  body: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  try {
    Context.get(context, OnTransactionStart)()
    return body instanceof ImmediateBody ? body.start(context) : body
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** Whether nothing is left of a body. */
export const hasEnded = <A, E, R>(body: Effect.Effect<A, E, R>): body is Exit.Exit<A, E> => Exit.isExit(body)

/** Runs what is left of a body in a fiber, to its end. */
export const endBody = <A, E, R>(context: Context.Context<R>, body: Effect.Effect<A, E, R>): Exit.Exit<A, E> => {
  const scheduler = new BodyScheduler()
  const fiber = Effect.runForkWith(Context.add(context, Scheduler.Scheduler, scheduler))(body)
  if (fiber.pollUnsafe() === undefined) scheduler.drain()
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return exit
  fiber.interruptUnsafe()
  return Exit.die(waitedElsewhere())
}

/**
 * Runs the body of a transaction or snapshot from start to end within this turn of the event loop, for adapters whose
 * storage calls are synchronous. A body that waits for anything else is interrupted and dies, so that it cannot delay other
 * transactions. Also runs a body inside a body: no step of the outer one runs meanwhile. For storage calls that are
 * asynchronous see {@link runBodyAsync}.
 */
export const runBody = <A, E, R>(context: Context.Context<R>, body: Effect.Effect<A, E, R>): Exit.Exit<A, E> => {
  const rest = beginBody(context, body)
  return hasEnded(rest) ? rest : endBody(context, rest)
}
