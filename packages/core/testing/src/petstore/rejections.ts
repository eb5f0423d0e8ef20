import { catalogue, type ErrorCode, PetstoreError, ValidationFailed } from "@petstore/core/domain"
import { assertEqual, assertTrue, ContractViolation } from "../check.ts"

type Details<C extends ErrorCode> = InstanceType<(typeof catalogue)[C]>["details"]

/** The expected details of an error; they can be omitted only if the error has none. Those of one of many elements have its index. */
type Expected<C extends ErrorCode> =
  Record<never, never> extends Details<C> ? [details?: AtIndex] : [details: Details<C> | (Details<C> & AtIndex)]

interface AtIndex {
  readonly index: number
}

/** What a call rejects with. */
export const reasonOf = async (call: Promise<unknown>, expected = "a rejection"): Promise<unknown> => {
  try {
    await call
  } catch (reason) {
    return reason
  }
  throw new ContractViolation(`Expected the call to fail with ${expected}, but it succeeded`, "success", expected)
}

/** How a call ends: "done", or the code of its error. */
export const endOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "done",
    (error: unknown) => {
      if (error instanceof PetstoreError) return error.code
      throw error
    }
  )

/** How many of some calls at once end in which way. */
export const endsOf = async (
  count: number,
  call: (n: number) => Promise<unknown>
): Promise<Readonly<Record<string, number>>> => {
  const ends: Record<string, number> = {}
  for (const end of await Promise.all(Array.from({ length: count }, (_, n) => endOf(call(n))))) {
    ends[end] = (ends[end] ?? 0) + 1
  }
  return ends
}

/** Checks that a call rejects with this very value, such as the reason of its signal. */
export const rejectsAs = async (reason: unknown, call: Promise<unknown>): Promise<void> => {
  const actual = await reasonOf(call)
  assertTrue(actual === reason, `${actual} is the reason that was given`)
}

/** Checks that a call rejects as a fault of the program that makes it. */
export const assertTypeError = async (call: Promise<unknown>): Promise<void> => {
  const reason = await reasonOf(call)
  assertTrue(reason instanceof TypeError, `${reason} is a TypeError`)
}

/** Checks that a call fails with the error of this code in the catalogue, and with these details. */
export const rejectsWith = async <C extends ErrorCode>(
  code: C,
  call: Promise<unknown>,
  ...[details]: Expected<C>
): Promise<void> => {
  const error = await reasonOf(call, code)
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
  const error = await reasonOf(call, "validation_failed")
  if (!(error instanceof ValidationFailed)) throw error
  assertEqual(error.status, 400, "the status")
  assertEqual([...new Set(error.violations?.map(({ path }) => path))].sort(), [...places].sort(), "the places")
}
