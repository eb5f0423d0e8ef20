import { PetstoreError } from "@petstore/core/domain"
import { ContractViolation, formatValue } from "./check.ts"

/** The class of an error, such as `InsufficientStock` or one of the host application. */
export type ErrorType<E extends Error> = abstract new (...args: never) => E

const describeError = (error: unknown): string =>
  error instanceof PetstoreError
    ? `failed with ${error.name} (${error.code}): ${error.message} ${formatValue(error.violations ?? error.details ?? {})}`
    : `failed with ${String(error)}`

/** The signatures of {@link assertRejects}. */
export interface AssertRejects {
  <E extends Error>(call: Promise<unknown>, expected: ErrorType<E>): Promise<E>
  /** By code, which also works for calls through the client: it does not have the host application's classes. */
  (call: Promise<unknown>, code: string): Promise<PetstoreError>
}

const isExpected = (expected: ErrorType<Error> | string, error: unknown): boolean =>
  typeof expected === "string" ? error instanceof PetstoreError && error.code === expected : error instanceof expected

/**
 * Waits for a call to fail with an error of this class or code, and returns the error. Throws a {@link ContractViolation}
 * with the result or the other error if the call succeeds or fails differently.
 *
 * @example
 * ```ts
 * import { InsufficientStock } from "@petstore/core"
 * import { assertRejects, createStockedPet, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * const rex = await createStockedPet(petstore, { onHand: 3 })
 * const { details } = await assertRejects(petstore.orders.place({ petId: rex.id, quantity: 4 }), InsufficientStock)
 * details.available // => 3
 * await assertRejects(petstore.orders.place({ petId: rex.id, quantity: 4 }), "insufficient_stock")
 * ```
 */
export const assertRejects: AssertRejects = async (call: Promise<unknown>, expected: ErrorType<Error> | string) => {
  if (typeof call?.then !== "function" || !["function", "string"].includes(typeof expected)) {
    throw new TypeError(
      "assertRejects takes the promise of a call, and the class or the code of an error, such as assertRejects(petstore.pets.get(9), NotFound)"
    )
  }
  const instead = await call.then(
    (result) => ({ error: undefined, happened: `returned ${formatValue(result)}`, actual: result }),
    (error: unknown) => ({ error, happened: describeError(error), actual: error })
  )
  const { actual, error, happened } = instead
  // The type is that of the overload, which the compiler cannot infer.
  if (isExpected(expected, error)) return error as never
  const name = typeof expected === "string" ? expected : expected.name
  throw new ContractViolation(`Expected the call to fail with ${name}, but it ${happened}`, actual, name, error)
}
