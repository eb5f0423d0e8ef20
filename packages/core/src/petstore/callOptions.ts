import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { MethodInput } from "../domain/MethodInput.ts"
import {
  durationOption,
  type OptionSchema,
  type OptionSchemas,
  optionOf,
  optionsCheck,
  signalOption
} from "../domain/options.ts"
import type { Include, IncludeOption } from "../domain/records/IncludedRecord.ts"
import { shown } from "../domain/shown.ts"
import type { CallOptions, CancelOptions, ChangeOptions, ReserveOptions } from "../programs/Options.ts"
import type { VerifyOptions } from "../runtime/verification/Verification.ts"
import { inputCount } from "./methods.ts"
import type { EmbeddedCallOptions } from "./Petstore.ts"

/** The options that some methods take. Which ones, the inputs of methods say. */
const ofMethods: Readonly<Record<string, OptionSchema>> = {
  // A key and a reason are checked by the use cases, whose error a remote caller receives too.
  idempotencyKey: Schema.Unknown,
  // Checked below: a wrong version fails as wrong input does.
  ifVersion: Schema.Unknown,
  reason: Schema.Unknown,
  reserveFor: durationOption,
  record: optionOf<boolean>("true or false", (value) => typeof value === "boolean"),
  include: optionOf<Include>('"record"', (value) => value === "record")
} satisfies OptionSchemas<CancelOptions & ReserveOptions & IncludeOption & VerifyOptions>

type Refusal = Effect.Effect<never, ValidationFailed>

/**
 * Returns the effect that dies with a TypeError, if a method does not take these options, or takes nothing behind them, which its caller
 * may rely on; or that fails, if `ifVersion` is no version; undefined otherwise.
 */
export type OptionsCheck = (options: unknown, more?: ReadonlyArray<unknown>) => Refusal | undefined

type Shape = Partial<MethodInput>

const versionsRefusal = (ifVersion: unknown, { hasVersion0 }: Shape): Refusal | undefined => {
  if (ifVersion === undefined) return undefined
  const first = hasVersion0 === true ? 0 : 1
  const isVersion = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= first
  const at = Array.isArray(ifVersion)
    ? ifVersion.findIndex((value) => !isVersion(value))
    : isVersion(ifVersion)
      ? -1
      : 0
  if (at === -1) return undefined
  const [path, wrong] = Array.isArray(ifVersion) ? [`/ifVersion/${at}`, ifVersion[at]] : ["/ifVersion", ifVersion]
  const message = `Expected a version, a whole number from ${first}, or several, such as [3, 4], not ${shown(wrong)}`
  return Effect.fail(ValidationFailed.of([{ path, message }]))
}

/** What to write instead of a method as the function of `array.map`, which passes an index and the array behind each element. */
const asFunction = (name: string, count: number): string =>
  ` As the function of array.map, write (each) => petstore.${name}(${["", "each"][count] ?? "each, ..."}).`

export const isGiven = (argument: unknown): boolean => argument !== undefined

/** The error of a method that was called with `more` arguments behind its options. */
export const surplus = (name: string, count: number, options: unknown, more: number): TypeError => {
  const inputs = count === 0 ? "" : `${count === 1 ? "one argument" : `${count} arguments`} and `
  return new TypeError(
    `${name} takes ${inputs}an object of options, and nothing behind them, but was called with ${count + 1 + more} arguments. Put all options into one object.${typeof options === "number" ? asFunction(name, count) : ""}`
  )
}

/** Returns the check of a method that fails for the first argument that is needed and missing. */
export const argumentsCheck = (name: string, input: MethodInput) => {
  const { body, bodyIsOptional, field, kind, path = {}, query } = input
  const needed = [...(kind === undefined ? [] : ["kind"]), ...Object.keys(path)]
  const takesMore = body !== undefined && bodyIsOptional !== true
  const names = [...needed, ...(takesMore ? [field ?? "input"] : []), ...(query === undefined ? [] : ["query"])]
  const places = [...needed, ...(takesMore ? [field === undefined ? "body" : `body/${field}`] : [])]
  return (args: ReadonlyArray<unknown>): Refusal | undefined => {
    for (const [at, place] of places.entries()) {
      if (args[at] !== undefined) continue
      const message = `Missing argument; write ${name}(${names.join(", ")})`
      return Effect.fail(ValidationFailed.of([{ path: `/${place}`, message }]))
    }
    return undefined
  }
}

/** Whether a method may be called with the index of an element behind its inputs, as `Effect.forEach` does: it changes nothing. */
export const mayTakeIndex = ({ options = {} }: MethodInput): boolean =>
  Object.keys(options).every((option) => option === "include")

/** Makes the checks of the methods of an API by their names; `shared` are the options that every method of it takes. */
const checksWith = (shared: Readonly<Record<string, OptionSchema>>) => {
  const checks = new Map<string, (options: unknown) => unknown>()
  const checkOf = (name: string, { options = {} }: Shape) => {
    const schemas = { ...shared }
    for (const option of Object.keys(options)) schemas[option] = ofMethods[option] ?? Schema.Unknown
    const [example = "signal"] = Object.keys(schemas)
    const check = optionsCheck(name, `{ ${example} }`, schemas)
    checks.set(name, check)
    return check
  }
  return (name: string, input: Shape = {}, count = inputCount(input)): OptionsCheck =>
    (options, more = []) => {
      if (more.some(isGiven)) return Effect.die(surplus(name, count, options, more.length))
      if (options === undefined || options === null) return undefined
      try {
        ;(checks.get(name) ?? checkOf(name, input))(options)
      } catch (error) {
        const isIndex = typeof options === "number" || Array.isArray(options)
        return Effect.die(isIndex ? new TypeError(`${(error as Error).message}.${asFunction(name, count)}`) : error)
      }
      return versionsRefusal((options as ChangeOptions).ifVersion, input)
    }
}

/** Checks the options of methods as effects, which are interrupted and take no signal. */
export const effectCheck = checksWith({})

/** Checks the options of methods that return promises, and run in no transaction of the host application. */
export const callCheck = checksWith({ signal: signalOption } satisfies OptionSchemas<CallOptions>)

/** Checks the options of the methods of an in-process petstore that can run in a transaction of the host application. */
export const embeddedCheck = checksWith({
  signal: signalOption,
  transaction: Schema.Unknown
} satisfies OptionSchemas<EmbeddedCallOptions>)

/** Returns a function that refuses what comes behind the last argument of a method as an effect that takes no options. */
export const restCheck = (name: string, count: number) => {
  const check = effectCheck(name, {}, count)
  return ([options, ...more]: ReadonlyArray<unknown>): Effect.Effect<never> | undefined => {
    // `Effect.forEach` passes an index behind each element.
    const refusal = typeof options === "object" || more.length > 0 ? check(options, more) : undefined
    return refusal && Effect.orDie(refusal)
  }
}

/** The same method, but it dies with a TypeError for options behind its last argument, or what is behind those, as it takes none. */
export const withoutOptions = <Arguments extends ReadonlyArray<unknown>, A, E, R>(
  name: string,
  method: (...args: Arguments) => Effect.Effect<A, E, R>,
  count: number
): ((...args: Arguments) => Effect.Effect<A, E, R>) => {
  const refusalOf = restCheck(name, count)
  return (...args) => refusalOf(args.slice(count)) ?? method(...args)
}
