import { catalogue, type ErrorCode, PetstoreError, ValidationFailed } from "@petstore/core/domain"
import { assertEqual, assertTrue, ContractViolation } from "../check.ts"

type Details<C extends ErrorCode> = InstanceType<(typeof catalogue)[C]>["details"]

/** The expected details of an error; they can be omitted only if the error has none. Those of one of many elements have its index. */
type Expected<C extends ErrorCode> =
  Record<never, never> extends Details<C> ? [details?: AtIndex] : [details: Details<C> | (Details<C> & AtIndex)]

interface AtIndex {
  readonly index: number
}

const errorOf = async (call: Promise<unknown>, code: string): Promise<unknown> => {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new ContractViolation(`Expected the call to fail with ${code}, but it succeeded`, "success", code)
}

/** Checks that a call fails with the error of this code in the catalogue, and with these details. */
export const rejectsWith = async <C extends ErrorCode>(
  code: C,
  call: Promise<unknown>,
  ...[details]: Expected<C>
): Promise<void> => {
  const error = await errorOf(call, code)
  if (!(error instanceof PetstoreError)) throw error
  assertEqual(error.code, code, "the code")
  assertTrue(error instanceof catalogue[code], `the error is an instance of the class of ${code}`)
  assertEqual(error.status, catalogue[code].status, "the status")
  // What is not found is always named; a case that is about its name has it.
  const expected = code === "not_found" ? { ...error.details, ...details } : (details ?? {})
  assertEqual(error.details ?? {}, expected, "the details")
  assertTrue(
    error.message.length > 0 && !/undefined|NaN|\[object/.test(error.message),
    `"${error.message}" is a message`
  )
}

/** Checks that a call fails validation at exactly these places. */
export const rejectsInput = async (call: Promise<unknown>, ...places: ReadonlyArray<string>): Promise<void> => {
  const error = await errorOf(call, "validation_failed")
  if (!(error instanceof ValidationFailed)) throw error
  assertEqual(error.status, 400, "the status")
  assertEqual([...new Set(error.violations?.map(({ path }) => path))].sort(), [...places].sort(), "the places")
}
