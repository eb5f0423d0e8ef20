import { isFilePath, limits } from "@petstore/core/domain"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { refusal, settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { untilStopped } from "../stopSignal.ts"

/** Loads the module of a subcommand when it runs, so that `serve` does not load the others. */
export const lazily =
  <Part, Input, A, E, R>(load: () => Promise<Part>, choose: (part: Part) => (input: Input) => Effect.Effect<A, E, R>) =>
  (input: Input): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.promise(load), (part) => choose(part)(input))

/** The same for a subcommand that a signal interrupts. */
export const lazilyUntilStopped =
  <Part, Input, A, E, R>(load: () => Promise<Part>, choose: (part: Part) => (input: Input) => Effect.Effect<A, E, R>) =>
  (input: Input) =>
    untilStopped(lazily(load, choose)(input))

export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** Reads a whole number; fails with a message of what was expected. */
export const readWhole = (source: string, minimum: number, maximum: number) => (given: string) => {
  const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (value >= minimum && value <= maximum) return Effect.succeed(value)
  const expected = `a whole number from ${minimum} to ${maximum}`
  return Effect.fail(new CliError.ValidationError({ message: refusal(source, expected, given) }))
}

export const tablePrefix = settingFlag(settings.tablePrefix)
export const schema = settingFlag(settings.schema)
/** The database that a subcommand works on. */
export const database = { storage: settingFlag(settings.database), schema, tablePrefix }
/** The keys that encrypt secrets of webhooks. */
export const secretKeys = Flag.mapEffect(settingFlag(settings.secretKeyFile), settings.readSecretKeys)
export const json = toggle("json", "Print JSON instead of text")

/** The flag of subcommands that ask before they destroy something. */
export const yes = toggle("yes", "Do not ask before something is deleted, cancelled or revoked")

/** Reads the path of a file; fails for a URL, and for how `--storage` names a database. */
export const readPath = (source: string) => (given: string) =>
  isFilePath(given)
    ? Effect.succeed(given)
    : Effect.fail(
        new CliError.ValidationError({
          message: refusal(source, "the path of a file, with nothing before it", given)
        })
      )

export const fileArgument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description), Argument.mapEffect(readPath(name)))

export const idArgument = (description: string) =>
  Argument.String("ID").pipe(Argument.withDescription(description), Argument.mapEffect(readWhole("ID", 1, limits.id)))
