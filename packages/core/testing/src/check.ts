import * as Equal from "effect/Equal"

/**
 * A broken promise. Runners show the difference of `actual` and `expected`.
 *
 * @example
 * ```ts
 * import { InsufficientStock } from "@petstore/core"
 * import { ContractViolation, refused } from "@petstore/testing"
 *
 * const { message } = await refused(refused(Promise.resolve(7), InsufficientStock), ContractViolation)
 * message // => "Expected the call to be refused with InsufficientStock, but it answered 7"
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
    // It has a bigint in it, or itself.
    return Object.prototype.toString.call(value)
  }
}

/** A value as JSON, cut where it is long. */
export const shown = (value: unknown): string => {
  const text = json(value)
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

/** Throws unless both are equal in every part. */
export const same = (actual: unknown, expected: unknown, what = "the value"): void => {
  if (!Equal.equals(actual, expected)) {
    throw new ContractViolation(`Expected ${what} to be ${shown(expected)}, got ${shown(actual)}`, actual, expected)
  }
}

/** Throws unless it holds; `what` says what must. */
export const holds = (condition: boolean, what: string): void => {
  if (!condition) throw new ContractViolation(`Expected that ${what}`, false, true)
}
