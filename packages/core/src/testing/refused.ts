import { PetstoreError } from "../domain/errors/PetstoreError.ts"
import { ContractViolation, shown } from "./check.ts"

/** The class of an error, such as `InsufficientStock` or one of the host's own. */
export type ErrorType<E extends Error> = abstract new (...args: never) => E

const told = (error: unknown): string =>
  error instanceof PetstoreError
    ? `was refused with ${error.name} (${error.code}): ${error.message} ${shown(error.violations ?? error.details ?? {})}`
    : `failed with ${String(error)}`

/**
 * Waits for a call to be refused with this error, and answers it; throws if it succeeds or fails in another way, and says
 * what came instead.
 *
 * @example
 * ```ts
 * import { InsufficientStock } from "@petstore/core"
 * import { refused, stockedPet, testPetstore } from "@petstore/core/testing"
 *
 * await using petstore = await testPetstore()
 * const rex = await stockedPet(petstore, { onHand: 3 })
 * const { details } = await refused(petstore.orders.place({ petId: rex.id, quantity: 4 }), InsufficientStock)
 * details.available // => 3
 * ```
 */
export const refused = async <E extends Error>(call: Promise<unknown>, expected: ErrorType<E>): Promise<E> => {
  if (typeof call?.then !== "function" || typeof expected !== "function") {
    throw new TypeError(
      "refused takes the promise of a call and the class of an error, such as refused(petstore.pets.get(9), NotFound)"
    )
  }
  const instead = await call.then(
    (answer) => ({ error: undefined, happened: `answered ${shown(answer)}`, what: answer }),
    (error: unknown) => ({ error, happened: told(error), what: error })
  )
  const { error, happened, what } = instead
  if (error instanceof expected) return error
  const message = `Expected the call to be refused with ${expected.name}, but it ${happened}`
  throw new ContractViolation(message, what, expected.name, error)
}
