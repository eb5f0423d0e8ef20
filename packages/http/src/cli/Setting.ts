import * as Config from "effect/Config"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** What is set from outside: by a flag, else by the environment, else by its default. */
export interface Setting<A> {
  /** Without the dashes; absent for what must not stand in a command line. */
  readonly flag?: string
  readonly env: string
  /** As somebody would write it. */
  readonly default: string
  /** What a value is called in the help. */
  readonly metavar: string
  readonly description: string
  /** For the refusal: what a value must be. */
  readonly expected: string
  /** Whether a value must never be shown. */
  readonly secret?: boolean
  readonly parse: (text: string) => Option.Option<A>
}

/** A setting that a flag can give. */
export type FlagSetting<A> = Setting<A> & { readonly flag: string }

const shownLength = 80

/** A value as a message may repeat it: on one line, of bounded length, without the password of a URL. */
export const quoted = (text: string): string => {
  const open = text.replace(/\/\/[^/]*@/, "//...@")
  return JSON.stringify(open.length > shownLength ? `${open.slice(0, shownLength)}...` : open)
}

/** What is said of a value that cannot be taken. */
export const refusal = (source: string, expected: string, given: string): string =>
  `${source} takes ${expected}, not ${quoted(given)}`

/** The value of a setting; fails with one line that says what is wrong. */
export const readSetting = <A>(
  setting: Setting<A>,
  flag: Option.Option<string> = Option.none()
): Effect.Effect<A, CliError.ValidationError> =>
  Effect.gen(function* () {
    // An empty variable counts as none: that is how many tools pass on what nobody set.
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

/** The flag of a setting, with its variable and its default behind it. */
export const settingFlag = <A>(setting: FlagSetting<A>): Flag.Flag<A> =>
  Flag.String(setting.flag).pipe(
    Flag.withMetavar(setting.metavar),
    Flag.withDescription(`${setting.description} (${setting.env}; ${setting.default} if absent)`),
    Flag.optional,
    Flag.mapEffect((flag) => readSetting(setting, flag))
  )
