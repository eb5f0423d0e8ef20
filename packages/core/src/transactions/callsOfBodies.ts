import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { OpenCommands } from "./OpenCommands.ts"
import { notItsOwn, TransactionBody } from "./TransactionBody.ts"

/** The running effect of a transaction on this petstore that calls this now, for example to run another one as a promise. */
const bodyOfFiber = (owner: object): TransactionBody | undefined => {
  const fiber = TransactionBody.isAnyRunning ? Fiber.getCurrent() : undefined
  const body = fiber === undefined ? undefined : TransactionBody.of(fiber.context)
  return body?.isOf(owner) === true ? body : undefined
}

/** Whether the function or effect of a running transaction on this petstore calls this now. */
export const isInTransaction = (owner: object): boolean =>
  TransactionBody.isCalling(owner) || bodyOfFiber(owner) !== undefined

/** Throws a TypeError for a call that the body of a running transaction makes on its own petstore. */
export const rejectCalls = (owner: object): void => {
  if (isInTransaction(owner)) throw new TypeError(notItsOwn)
}

/** Dies, because the body of a transaction runs it. */
export const misplaced = (): Effect.Effect<never> => Effect.die(new TypeError(notItsOwn))

/** A call that is made now and run later: the body that makes it must not run it in a fiber of its own either, beside its transaction. */
export const madeNow = <A, E, R>(owner: object, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const body = bodyOfFiber(owner)
  if (body === undefined) return call
  return Effect.withFiber(({ context }) =>
    body.isOf(owner) && !context.mapUnsafe.has(OpenCommands.key) ? misplaced() : call
  )
}
