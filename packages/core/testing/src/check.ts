import * as Equal from "effect/Equal"

/**
 * A contract case or an assertion of this package that failed. Test runners show the difference of `actual` and `expected`.
 *
 * @example
 * ```ts
 * import { InsufficientStock } from "@petstore/core"
 * import { ContractViolation, assertRejects } from "@petstore/testing"
 *
 * const { message } = await assertRejects(assertRejects(Promise.resolve(7), InsufficientStock), ContractViolation)
 * message // => "Expected the call to fail with InsufficientStock, but it returned 7"
 * ```
 */
export class ContractViolation extends Error {
  override readonly name = "ContractViolation"
  readonly actual: unknown
  readonly expected: unknown

  constructor(message: string, actual: unknown, expected: unknown, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.actual = actual
    this.expected = expected
  }
}

const json = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // A bigint, or a circular structure.
    return Object.prototype.toString.call(value)
  }
}

/** A value as JSON, cut after 300 characters. */
export const formatValue = (value: unknown): string => {
  const text = json(value)
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

/** Throws unless both are structurally equal; `what` names the value in the message. */
export const assertEqual = (actual: unknown, expected: unknown, what = "the value"): void => {
  if (!Equal.equals(actual, expected)) {
    throw new ContractViolation(
      `Expected ${what} to be ${formatValue(expected)}, got ${formatValue(actual)}`,
      actual,
      expected
    )
  }
}

/** Throws unless the condition is true; `what` states it in the message. */
export const assertTrue = (condition: boolean, what: string): void => {
  if (!condition) throw new ContractViolation(`Expected that ${what}`, false, true)
}
