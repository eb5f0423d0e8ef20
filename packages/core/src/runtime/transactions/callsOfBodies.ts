import * as Effect from "effect/Effect"
import { asking } from "../../ports/Direct.ts"
import { notItsOwn, TransactionBody } from "../../programs/transactions/TransactionBody.ts"

/** Throws a TypeError for a call that the body of a running transaction makes on its own petstore. */
export const rejectCalls = (owner: object): void => {
  if (TransactionBody.isCalling(owner)) throw new TypeError(notItsOwn)
}

/** Dies, because the body of a transaction runs it. */
export const misplaced = (): Effect.Effect<never> => Effect.die(new TypeError(notItsOwn))

/** The effect, unless the body of a running transaction runs it. */
export const outsideOnly = <A, E, R>(owner: object, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // Who runs it has what it requires.
  asking(() => (TransactionBody.isCalling(owner) ? misplaced() : (effect as Effect.Effect<A, E>)))
