import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MethodInput } from "../domain/MethodInput.ts"
import {
  durationOption,
  type OptionSchema,
  type OptionSchemas,
  optionOf,
  optionsCheck,
  signalOption
} from "../domain/options.ts"
import type { CallOptions, ChangeOptions, ReserveOptions } from "../services/Options.ts"
import type { EmbeddedCallOptions } from "./Petstore.ts"

const isVersion = (value: unknown): boolean => Number.isSafeInteger(value)

/** The options that some methods take. Which ones, the inputs of methods say. */
const ofMethods: Readonly<Record<string, OptionSchema>> = {
  // A key is checked by the use cases, whose error a remote caller receives too.
  idempotencyKey: Schema.Unknown,
  ifVersion: optionOf(
    "a version, such as 3, or several, such as [3, 4]",
    (value) => isVersion(value) || (Array.isArray(value) && value.every(isVersion))
  ),
  reserveFor: durationOption
} satisfies OptionSchemas<ChangeOptions & ReserveOptions>

/**
 * Returns the effect that dies with a TypeError, if a method does not take these options, which its caller may rely on; undefined if it
 * does.
 */
export type OptionsCheck = (options: unknown) => Effect.Effect<never> | undefined

/** Makes the checks of the methods of an API by their names; `shared` are the options that every method of it takes. */
const checksWith = (shared: Readonly<Record<string, OptionSchema>>) => {
  const checks = new Map<string, (options: unknown) => void>()
  const checkOf = (name: string, { options = {} }: Pick<MethodInput, "options">) => {
    const schemas = { ...shared }
    for (const option of Object.keys(options)) schemas[option] = ofMethods[option] ?? Schema.Unknown
    const [example = "signal"] = Object.keys(schemas)
    const check = optionsCheck(name, `{ ${example} }`, schemas)
    checks.set(name, check)
    return check
  }
  return (name: string, input: Pick<MethodInput, "options"> = {}): OptionsCheck =>
    (options) => {
      if (options === undefined || options === null) return undefined
      try {
        ;(checks.get(name) ?? checkOf(name, input))(options)
        return undefined
      } catch (error) {
        return Effect.die(error)
      }
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

/** The same method, but it dies with a TypeError for options behind its last argument, as it takes none. */
export const withoutOptions = <Arguments extends ReadonlyArray<unknown>, A, E, R>(
  name: string,
  method: (...args: Arguments) => Effect.Effect<A, E, R>,
  count: number
): ((...args: Arguments) => Effect.Effect<A, E, R>) => {
  const check = effectCheck(name)
  return (...args) => {
    const all: ReadonlyArray<unknown> = args
    // `Effect.forEach` passes an index behind each element.
    return (typeof all[count] === "object" ? check(all[count]) : undefined) ?? method(...args)
  }
}
