import { Equal } from "effect"

/** A broken promise. Runners show the difference of `actual` and `expected`. */
export class ContractViolation extends Error {
  override readonly name = "ContractViolation"
  readonly actual: unknown
  readonly expected: unknown

  constructor(message: string, actual: unknown, expected: unknown) {
    super(message)
    this.actual = actual
    this.expected = expected
  }
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
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
