import { readFile } from "node:fs/promises"
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readSetting } from "./Setting.ts"
import * as settings from "./settings.ts"

/** The keys that encrypt secrets of webhooks, an option of the petstore. */
export type SecretKeys = Redacted.Redacted<ReadonlyArray<string>> | undefined

const invalid = (message: string) => Effect.fail(new CliError.ValidationError({ message }))

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "it is no file"

/** The keys of a file, else those of the environment. */
export const readSecretKeys = (file: string | undefined): Effect.Effect<SecretKeys, CliError.ValidationError> =>
  Effect.gen(function* () {
    const given = yield* readSetting(settings.secretKey)
    if (file === undefined) return given
    const { env, expected } = settings.secretKey
    if (given !== undefined)
      return yield* invalid(`${env} is set, and the file ${file} has keys too. Set one of the two.`)
    const text = yield* Effect.catch(Effect.tryPromise({ try: () => readFile(file, "utf8"), catch: codeOf }), (code) =>
      invalid(`The file of secret keys ${file} cannot be read: ${code}`)
    )
    const keys = settings.parseSecretKeys(text)
    return keys === undefined
      ? yield* invalid(`The file of secret keys ${file} has something else than ${expected}`)
      : Redacted.make(keys)
  })

/** The option of the petstore for these keys. */
export const withSecretKeys = (keys: SecretKeys) => (keys === undefined ? {} : { secretKey: Redacted.value(keys) })
