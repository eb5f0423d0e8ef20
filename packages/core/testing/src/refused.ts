import { PetstoreError } from "@petstore/core/domain"
import { ContractViolation, shown } from "./check.ts"

/** The class of an error, such as `InsufficientStock` or one of the host's own. */
export type ErrorType<E extends Error> = abstract new (...args: never) => E

const told = (error: unknown): string =>
  error instanceof PetstoreError
    ? `was refused with ${error.name} (${error.code}): ${error.message} ${shown(error.violations ?? error.details ?? {})}`
    : `failed with ${String(error)}`

/** What {@link refused} may be told to expect. */
export interface Refused {
  <E extends Error>(call: Promise<unknown>, expected: ErrorType<E>): Promise<E>
  /** By its code, for calls that may be far: a client cannot know the host's classes. */
  (call: Promise<unknown>, code: string): Promise<PetstoreError>
}

const isExpected = (expected: ErrorType<Error> | string, error: unknown): boolean =>
  typeof expected === "string" ? error instanceof PetstoreError && error.code === expected : error instanceof expected

/**
 * Waits for a call to be refused with the error of this class or code, and answers it; throws if it succeeds or fails in
 * another way, and says what came instead.
 *
 * @example
 * ```ts
 * import { InsufficientStock } from "@petstore/core"
 * import { refused, stockedPet, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * const rex = await stockedPet(petstore, { onHand: 3 })
 * const { details } = await refused(petstore.orders.place({ petId: rex.id, quantity: 4 }), InsufficientStock)
 * details.available // => 3
 * await refused(petstore.orders.place({ petId: rex.id, quantity: 4 }), "insufficient_stock")
 * ```
 */
export const refused: Refused = async (call: Promise<unknown>, expected: ErrorType<Error> | string) => {
  if (typeof call?.then !== "function" || !["function", "string"].includes(typeof expected)) {
    throw new TypeError(
      "refused takes the promise of a call, and the class or the code of an error, such as refused(petstore.pets.get(9), NotFound)"
    )
  }
  const instead = await call.then(
    (answer) => ({ error: undefined, happened: `answered ${shown(answer)}`, what: answer }),
    (error: unknown) => ({ error, happened: told(error), what: error })
  )
  const { error, happened, what } = instead
  // Its type is the one of the overload that was called, which the compiler cannot follow.
  if (isExpected(expected, error)) return error as never
  const name = typeof expected === "string" ? expected : expected.name
  throw new ContractViolation(`Expected the call to be refused with ${name}, but it ${happened}`, what, name, error)
}
