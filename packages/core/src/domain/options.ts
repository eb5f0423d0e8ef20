import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { closest } from "./closest.ts"
import { hasNoFields, shown } from "./shown.ts"
import { noun } from "./violations.ts"

/** The schema of an option. */
export type OptionSchema = Schema.ConstraintDecoder<unknown> & Schema.Top

/** A schema for each option: with `satisfies`, the compiler requires all of them. */
export type OptionSchemas<Options> = { readonly [Name in keyof Required<Options>]: OptionSchema }

/** What an option takes, and its default. The sentence is that of its docstring and of its flag. */
export interface OptionRow<A = unknown> {
  readonly schema: OptionSchema
  readonly default?: Exclude<A, undefined>
  readonly sentence?: string
}

/** A row for each option: with `satisfies`, the compiler requires all of them. */
export type OptionTable<Options> = { readonly [Name in keyof Required<Options>]: OptionRow<Options[Name]> }

type Rows = Readonly<Record<string, OptionRow>>

/** The names of the options that have a default. */
type Defaulted<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly default: unknown } ? Name : never
}[keyof Table]

/** The values of the options that have a default: those that are given, else the defaults. */
export const valuesOf = <Table extends Rows, Options extends object>(table: Table, options: Options) => {
  const values = Object.entries(table).flatMap(([name, row]) => {
    const value: unknown = Reflect.get(options, name)
    return row.default === undefined ? [] : [[name, value === undefined ? row.default : value]]
  })
  return Object.fromEntries(values) as {
    readonly [Name in Defaulted<Table> & keyof Options]-?: Exclude<Options[Name], undefined>
  }
}

/** A schema from a type guard. `expected` completes "The option x takes". */
export const optionOf = <A>(expected: string, isValid: (value: unknown) => boolean) =>
  Schema.declare((value): value is A => isValid(value), { expected })

/** The schema of an option that holds a secret: errors do not show its value. Otherwise like {@link optionOf}. */
export const secretOption = <A>(expected: string, isValid: (value: unknown) => boolean) =>
  optionOf<A>(expected, isValid).annotate({ isSecret: true })

/** The schema of an option that takes a function; `expected` describes it. */
export const functionOption = (expected: string) => optionOf<unknown>(expected, (value) => typeof value === "function")

/** The schema of a whole number of 0 or more; `expected` describes it. */
export const countOption = (expected: string, minimum = 0) =>
  optionOf<number>(expected, (value) => Number.isSafeInteger(value) && Number(value) >= minimum)

const units = ["weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"]

/** Whether an object is a duration by its units. Of others, such as a promise, Effect makes one of 0. */
const hasUnits = (value: object): boolean =>
  Duration.isDuration(value) ||
  Array.isArray(value) ||
  (units.some((unit) => unit in value) && Object.keys(value).every((name) => units.includes(name)))

const isDuration = (value: unknown): boolean =>
  !Number.isNaN(value) &&
  (typeof value !== "object" || value === null || hasUnits(value)) &&
  Option.exists(Duration.fromInput(value as Duration.Input), (duration) => !Duration.isNegative(duration))

/** A duration of 0 or more; a number is milliseconds. */
export const durationOption = optionOf<Duration.Input>(
  'a duration, such as "30 seconds", or a number of milliseconds',
  isDuration
)

/** An option that takes an `AbortSignal`. */
export const signalOption = optionOf<AbortSignal>(
  "an AbortSignal",
  (value) => typeof value === "object" && value !== null && "addEventListener" in value
)

/** What a secret is not, without a text or a number of it. */
const withoutText = (value: unknown): string =>
  ["string", "number", "bigint"].includes(typeof value) ? "" : `, not ${shown(value)}`

const valueCheck = (name: string, schema: OptionSchema): ((value: unknown) => void) => {
  if (schema === Schema.Unknown) return () => {}
  const accepts = SchemaParser.is(schema)
  const isSecret = schema.ast.annotations?.isSecret === true
  return (value) => {
    if (accepts(value)) return
    throw new TypeError(
      `The option ${name} takes ${noun(schema.ast)}${isSecret ? withoutText(value) : `, not ${shown(value)}`}`
    )
  }
}

/** Whether a value has options, as its own or of its class, and is not something else whose options nobody would see, such as a promise. */
export const hasOptions = (value: unknown, names: ReadonlyArray<string>): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  (!hasNoFields(value) || (!Predicate.isPromiseLike(value) && names.some((name) => name in value)))

/** Throws a TypeError for options behind the last argument of a function, where plain JavaScript may pass them and nothing reads them. */
export const checkRest = (caller: string, example: string, more: unknown, count: 1 | 2 = 1): void => {
  // A number is the index of an element, as `array.map` passes it.
  if (more !== undefined && typeof more !== "number")
    throw new TypeError(
      `${caller} takes ${count === 1 ? "one argument" : "two arguments"}, and ignored ${shown(more)}. Write ${caller}(${example}).`
    )
}

/** Whether it is the prototype of all plain objects, of whatever realm. */
const isRoot = (prototype: object): boolean =>
  Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty")

/**
 * What an object of options has, as a plain object: its own, those that it inherits, and the getters of its class, but not the methods
 * of its class.
 */
export const optionsIn = (options: object): Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(options)
  const isPlain = prototype === Object.prototype || prototype === null
  // Nearly all are, and every call with options passes here.
  if (isPlain && Object.getOwnPropertySymbols(options).length === 0) return { ...options }
  const given: Record<string, unknown> = {}
  for (let at: object = options; at !== null && !isRoot(at); at = Object.getPrototypeOf(at)) {
    for (const name of Reflect.ownKeys(at)) {
      const { enumerable, get, value } = Object.getOwnPropertyDescriptor(at, name) ?? {}
      const isShared = typeof name === "string" && (get !== undefined || typeof value !== "function")
      const counts = at === options ? enumerable === true : isShared
      if (counts && name !== "__proto__" && !Object.hasOwn(given, String(name))) {
        given[String(name)] = Reflect.get(options, name)
      }
    }
  }
  return given
}

/**
 * Builds the check of the options of a function, which plain JavaScript may call with anything. It throws a TypeError
 * for a value that is not an object, for unknown options, for a `required` one that is absent, and for the first value
 * that its schema does not accept. An option that is undefined counts as absent. `Schema.Unknown` stands for one that
 * is checked where it is used. Returns a plain object of the options, those that the given one inherits included.
 *
 * @example
 * ```ts
 * import { durationOption, optionsCheck } from "@petstore/core/domain"
 *
 * const check = optionsCheck("connect", '{ timeout: "5 seconds" }', { timeout: durationOption })
 * check({ timeout: "1 second" })
 * ```
 */
export const optionsCheck = (
  caller: string,
  example: string,
  options: Readonly<Record<string, OptionRow | OptionSchema>>,
  required: ReadonlyArray<string> = []
) => {
  const names = Object.keys(options)
  const checks = new Map(
    Object.entries(options).map(([name, row]) => [name, valueCheck(name, Schema.isSchema(row) ? row : row.schema)])
  )
  return <Options>(options: Options): Options => {
    if (!hasOptions(options, names)) {
      throw new TypeError(`${caller} takes an object of options, such as ${example}, not ${shown(options)}`)
    }
    const given = optionsIn(options)
    const unknown: Array<string> = []
    for (const name of Object.keys(given)) if (given[name] !== undefined && !checks.has(name)) unknown.push(name)
    if (unknown.length > 0) {
      const meant = closest(unknown[0] ?? "", names)
      throw new TypeError(
        `${caller} does not know the option ${unknown.join(", ")}; ${meant === undefined ? "it" : `did you mean ${meant}? It`} takes ${names.join(", ") || "none"}`
      )
    }
    for (const name of required) if (given[name] === undefined) checks.get(name)?.(undefined)
    for (const name of names) {
      const value = given[name] ?? Reflect.get(options, name)
      if (value === undefined) continue
      checks.get(name)?.(value)
      given[name] = value
    }
    return given as Options
  }
}
