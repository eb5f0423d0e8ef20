import { Context, Effect, Exit, Scheduler } from "effect"

// Nothing in a body yields by itself; what it forks or yields runs before it is judged.
const dispatcher = new Scheduler.MixedScheduler().makeDispatcher()
const scheduler: Scheduler.Scheduler = {
  executionMode: "sync",
  shouldYield: () => false,
  makeDispatcher: () => dispatcher
}

/**
 * Runs the body of a transaction to its end in this very turn of the event loop, for adapters whose storage calls are
 * synchronous. A body that waits for anything is interrupted and dies, so that it cannot hold up its neighbours.
 */
export const runBody = <A, E, R>(context: Context.Context<R>, body: Effect.Effect<A, E, R>): Exit.Exit<A, E> => {
  const fiber = Effect.runForkWith(Context.add(context, Scheduler.Scheduler, scheduler))(body)
  if (fiber.pollUnsafe() === undefined) dispatcher.flush()
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return exit
  fiber.interruptUnsafe()
  return Exit.die(new Error("The body of a transaction waited for something other than its store"))
}
