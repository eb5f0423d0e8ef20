import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Failed, type FailureOf, type Yielded } from "../kernel/Command.ts"
import type { Transaction } from "../kernel/Transaction.ts"

/**
 * Runs a command whose source makes one call of the database at a time. `callOf` makes the call that the command waits for; `end` stores what
 * the command has written, and passes its result on.
 */
export const runByCalls = <Y extends Yielded, A, E, R>(
  transaction: Transaction,
  command: Generator<Y, A, unknown>,
  callOf: () => Effect.Effect<unknown, E, R>,
  end: (value: A) => Effect.Effect<A, E, R>
): Effect.Effect<A, FailureOf<Y> | E, R> => {
  const advance = (answer?: unknown): Effect.Effect<A, FailureOf<Y> | E, R> => {
    const step = command.next(answer)
    if (step.done === true) return end(step.value)
    if (step.value instanceof Failed) return Exit.fail(step.value.error as FailureOf<Y>)
    return Effect.flatMap(callOf(), (result) => advance(transaction.answer(result)))
  }
  return advance()
}
