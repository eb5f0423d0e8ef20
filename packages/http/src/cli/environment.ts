import { closest } from "@petstore/core/domain"
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as settings from "./settings.ts"

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

const known = new Set(Object.values(settings).flatMap((setting) => ("env" in setting ? [setting.env] : [])))

/** Variables that others set: Kubernetes in each container beside a service called petstore, and the tests of this project. */
const isOfOthers = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT(?:_.*)?)$|_PORT_\d+_[A-Z]+(?:_.*)?$|^PETSTORE_TEST_/.test(name) ||
  (name.endsWith("_PORT") && /^[a-z]+:\/\//.test(value))

const withoutPrefix = (name: string): string => name.replace(/^PETSTORE_/, "")

/** The name, with the one that was probably meant. It never shows a value, which may be a secret. */
const shown = (name: string): string => {
  const candidates = new Map([...known].map((variable) => [withoutPrefix(variable), variable]))
  const meant = closest(withoutPrefix(name), candidates.keys())
  return meant === undefined ? name : `${name} (did you mean ${candidates.get(meant)}?)`
}

/**
 * Fails if a variable begins with `PETSTORE_` that no setting has, since a typing error would leave the setting at its default. Empty
 * ones count as unset.
 */
export const refuseUnknownVariables = (environment: Environment): Effect.Effect<void, CliError.ValidationError> => {
  const unknown = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith("PETSTORE_") && value && !known.has(name) && !isOfOthers(name, value) ? [shown(name)] : []
  )
  if (unknown.length === 0) return Effect.void
  return Effect.fail(
    new CliError.ValidationError({
      message: `Unknown environment variable: ${unknown.join(", ")}. Nothing was started. Correct the name, or unset the variable`
    })
  )
}
