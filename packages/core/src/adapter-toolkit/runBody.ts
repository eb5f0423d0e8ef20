import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import { OnTransactionStart } from "../ports/OnTransactionStart.ts"
import { BodyScheduler, waitedElsewhere } from "./BodyScheduler.ts"

/**
 * Runs the body of a transaction or snapshot from start to end within this turn of the event loop, for adapters whose
 * storage calls are synchronous. A body that waits for anything else is interrupted and dies, so that it cannot delay other
 * transactions. Also runs a body inside a body: no step of the outer one runs meanwhile. For storage calls that are
 * asynchronous see {@link runBodyAsync}.
 */
export const runBody = <A, E, R>(context: Context.Context<R>, body: Effect.Effect<A, E, R>): Exit.Exit<A, E> => {
  try {
    Context.get(context, OnTransactionStart)()
  } catch (defect) {
    return Exit.die(defect)
  }
  const scheduler = new BodyScheduler()
  const fiber = Effect.runForkWith(Context.add(context, Scheduler.Scheduler, scheduler))(body)
  if (fiber.pollUnsafe() === undefined) scheduler.drain()
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return exit
  fiber.interruptUnsafe()
  return Exit.die(waitedElsewhere())
}
