import { createReadStream } from "node:fs"
import { text as textOf } from "node:stream/consumers"
import { isSecretKey } from "@petstore/core/runtime"
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type FlagSetting, readSetting, type Setting } from "../Setting.ts"

/** Of keys separated by commas or white space, at least one; undefined if one of them is none. */
const parseSecretKeys = (text: string): ReadonlyArray<string> | undefined => {
  const keys = text.split(/[\s,]+/).filter((key) => key !== "")
  return keys.length > 0 && keys.every(isSecretKey) ? keys : undefined
}

/** Not a flag, as the admin key. */
export const secretKey: Setting<Redacted.Redacted<ReadonlyArray<string>> | undefined> = {
  env: "PETSTORE_SECRET_KEY",
  default: "",
  metavar: "KEY",
  description: "Key that encrypts URLs and secrets of webhooks; earlier keys behind it",
  expected:
    "32 random bytes in base64, as openssl rand -base64 32 prints them, or several such keys separated by commas",
  secret: true,
  parse: (text) => {
    if (text === "") return Option.some(undefined)
    return Option.map(Option.fromUndefinedOr(parseSecretKeys(text)), (keys) => Redacted.make(keys))
  }
}

/** The path of a file with the keys, one a line; undefined for none. */
export const secretKeyFile: FlagSetting<string | undefined> = {
  flag: "secret-key-file",
  env: "PETSTORE_SECRET_KEY_FILE",
  default: "none",
  metavar: "FILE|none",
  description: "File with the key that encrypts URLs and secrets of webhooks, instead of PETSTORE_SECRET_KEY",
  expected: "none, or the path of a file",
  parse: (text) => Option.some(text === "none" ? undefined : text)
}

/** The keys that encrypt secrets of webhooks, an option of the petstore. */
export type SecretKeys = Redacted.Redacted<ReadonlyArray<string>> | undefined

const invalid = (message: string) => Effect.fail(new CliError.ValidationError({ message }))

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "it is no file"

/** More than the longest list of keys: a device has no end. */
const mostBytes = 65_536

const readText = (file: string): Promise<string> => textOf(createReadStream(file, { end: mostBytes - 1 }))

/** The keys of a file, else those of the environment. */
export const readSecretKeys = (file: string | undefined): Effect.Effect<SecretKeys, CliError.ValidationError> =>
  Effect.gen(function* () {
    const given = yield* readSetting(secretKey)
    if (file === undefined) return given
    const { env, expected } = secretKey
    if (given !== undefined)
      return yield* invalid(`${env} is set, and the file ${file} has keys too. Set one of the two.`)
    const content = yield* Effect.catch(Effect.tryPromise({ try: () => readText(file), catch: codeOf }), (code) =>
      invalid(`The file of secret keys ${file} cannot be read: ${code}`)
    )
    const keys = parseSecretKeys(content)
    return keys === undefined
      ? yield* invalid(`The file of secret keys ${file} has something else than ${expected}`)
      : Redacted.make(keys)
  })

/** The option of the petstore for these keys. */
export const withSecretKeys = (keys: SecretKeys) => (keys === undefined ? {} : { secretKey: Redacted.value(keys) })
