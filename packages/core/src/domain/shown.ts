import * as Predicate from "effect/Predicate"
import { limits } from "./limits.ts"

/** Whether a text may be a secret of the petstore, of whatever place: an API key, a secret of a webhook, a URL, which may have a token. */
const isSecret = /psk_|whsec_|bearer|:\/\//i

/** Code points, as limits count them; of much longer texts only about as many. */
const characters = (text: string): number => (text.length > 100_000 ? text.length : [...text].length)

const isNumeric = /^(?:-?[0-9.]+(?:e[+-]?[0-9]+)?|NaN|-?Infinity)$/

/** The name of a class of objects, unless a bundler has shortened it. */
const className = /^[A-Z][A-Za-z0-9]{2,39}$/

/** The class of an object, such as "a DatabaseSync". */
const classOf = (value: object): string => {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
  if (typeof name !== "string" || name === "Object" || !className.test(name)) return "an object"
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`
}

/** Whether a value is a promise or an instance such as a Map, of whose content an object of fields would have nothing. */
export const hasNoFields = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  (Predicate.isPromiseLike(value) || (Object.keys(value).length === 0 && classOf(value) !== "an object"))

/**
 * Describes a value that was received, for an error: short, without the contents of objects, and without secrets. Numbers of a URL are
 * shown as a call of a method has them.
 */
export const shown = (value: unknown, isText = false): string => {
  switch (typeof value) {
    case "string":
      if (value.length > limits.shownText || isSecret.test(value)) return `a string of ${characters(value)} characters`
      return isText && isNumeric.test(value) ? value : JSON.stringify(value)
    case "object":
      if (value === null) return "null"
      if (Array.isArray(value)) return "an array"
      return Predicate.isPromiseLike(value) ? "a promise: await it" : classOf(value)
    case "function":
      return "a function"
    case "bigint":
      return `a bigint`
    case "symbol":
      return "a symbol"
    default:
      return String(value)
  }
}
