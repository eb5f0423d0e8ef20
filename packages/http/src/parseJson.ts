import { describeFault, jsonFault } from "./jsonFault.ts"

/** Matches numbers that a double may round; 15 digits are always exact. */
const mayRound = /[0-9][.eE]|[0-9]{16}/

/** Strings, which may hold digits too, and numbers. The text is known to be JSON, so that a string has its end, for which the pattern need not look back. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?[0-9][0-9.eE+-]*/g

const number = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** Digits without the zeros at their end. A pattern for these would take quadratic time. */
const significant = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === "0") end--
  return digits.slice(0, end)
}

const isZero = (digits: string): boolean => /^0*$/.test(digits)

/** Whether the text of a number means a whole number, before anything is rounded. */
const isWhole = (text: string): boolean => {
  const [, whole = "", fraction = "", exponent = "0"] = number.exec(text) ?? []
  const digits = whole + fraction
  return isZero(digits) || Number(exponent) >= significant(digits).length - whole.length
}

/** Whether a double is exactly the number of the text; only called for whole numbers. */
const isExact = (text: string): boolean => !Number.isInteger(Number(text)) || isWhole(text)

/** The fraction nearest to what is rounded, where there is one: messages show it. */
const fractionFor = (text: string): string => {
  const rounded = Number(text)
  const beside = rounded === 0 ? Number.MIN_VALUE : rounded * (1 + Number.EPSILON)
  return String(Number.isInteger(beside) ? 0.5 : beside)
}

/**
 * Parses JSON as `JSON.parse` does, except that a fraction is never rounded to a whole number: `1.0000000000000000001`
 * becomes 1.0000000000000002 rather than 1, so that schemas of whole numbers reject it. `1.0` and `1e3` are whole numbers. Throws a
 * `SyntaxError` with the line and column, and the same text on every engine.
 */
export const parseJson = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const fault = jsonFault(text)
    throw new SyntaxError(fault && describeFault(fault), { cause })
  }
  if (!mayRound.test(text)) return value
  let rounded = false
  const exact = text.replace(tokens, (token) => {
    if (token.startsWith('"') || isExact(token)) return token
    rounded = true
    return fractionFor(token)
  })
  return rounded ? JSON.parse(exact) : value
}
