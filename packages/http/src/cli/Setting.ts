import * as Config from "effect/Config"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** A setting, read from a flag, else from an environment variable, else its default. */
export interface Setting<A> {
  /** Without the dashes; absent for a secret, since other users can see command lines. */
  readonly flag?: string
  readonly env: string
  /** As text. */
  readonly default: string
  /** The placeholder of the value in the help. */
  readonly metavar: string
  readonly description: string
  /** For error messages: what a value must be. */
  readonly expected: string
  /** Whether error messages must not show the value. */
  readonly secret?: boolean
  readonly parse: (text: string) => Option.Option<A>
}

export type FlagSetting<A> = Setting<A> & { readonly flag: string }

const shownLength = 80

/** Quotes a value for a message: on one line, shortened, without the user and the password of a URL or of `password=...`. */
const quoted = (text: string): string => {
  // Up to the last @, because a password may contain an @ or a / by mistake.
  const [start, end] = [text.indexOf("//"), text.lastIndexOf("@")]
  const withoutAccount = start === -1 || end < start ? text : `${text.slice(0, start)}//...${text.slice(end)}`
  const safe = withoutAccount.replace(/(password\s*=).*/gis, "$1...")
  return JSON.stringify(safe.length > shownLength ? `${safe.slice(0, shownLength)}...` : safe)
}

/** The message for an invalid value. */
export const refusal = (source: string, expected: string, given: string): string =>
  `${source} takes ${expected}, not ${quoted(given)}`

/** Reads the value of a setting; fails with a message of one line if it is invalid. */
export const readSetting = <A>(
  setting: Setting<A>,
  flag: Option.Option<string> = Option.none()
): Effect.Effect<A, CliError.ValidationError> =>
  Effect.gen(function* () {
    // An empty variable counts as unset: many tools pass unset variables that way.
    const variable = yield* Config.String(setting.env).pipe(
      Config.option,
      Effect.orDie,
      Effect.map(Option.filter((text) => text !== ""))
    )
    const text = Option.getOrElse(
      Option.orElse(flag, () => variable),
      () => setting.default
    )
    const value = setting.parse(text)
    if (Option.isSome(value)) return value.value
    const source = Option.isSome(flag) ? `--${setting.flag}` : setting.env
    return yield* new CliError.ValidationError({
      message: setting.secret === true ? `${source} takes ${setting.expected}` : refusal(source, setting.expected, text)
    })
  })

/** The flag of a setting. Its description shows the default and the variable. */
export const settingFlag = <A>(setting: FlagSetting<A>): Flag.Flag<A> =>
  Flag.String(setting.flag).pipe(
    Flag.withMetavar(setting.metavar),
    Flag.withDescription(`${setting.description} (default: ${setting.default}; environment: ${setting.env})`),
    Flag.optional,
    Flag.mapEffect((flag) => readSetting(setting, flag))
  )

/** Reads a whole number of at most ten digits. */
export const whole = (text: string, minimum: number, maximum: number): Option.Option<number> =>
  /^\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
    ? Option.some(Number(text))
    : Option.none()

/** The parts of a setting whose values are whole numbers. */
export const wholeNumber = (minimum: number, maximum: number) => ({
  metavar: "NUMBER",
  expected: `a whole number from ${minimum} to ${maximum}`,
  parse: (text: string): Option.Option<number> => whole(text, minimum, maximum)
})

export const isHostname = (text: string): boolean =>
  text.length <= 253 &&
  !/^[\d.]*$/.test(text) &&
  text.split(".").every((label) => /^[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?$/.test(label))

/** Whether a text is an http or https URL without a user or password. */
export const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
}
