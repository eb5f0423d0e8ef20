import { Petstore } from "@petstore/core/effect"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { openExisting } from "../database.ts"
import { UsageError } from "../errors.ts"
import { type Database, type SecretKeys, withSecretKeys } from "../settings.ts"
import * as call from "./call.ts"

interface CreateInput {
  readonly url: string
  readonly types: Option.Option<string>
  readonly description: Option.Option<string>
  readonly ordered: boolean
  readonly webhookAddresses: ReadonlyArray<string>
  readonly database: Database
  readonly secretKeys: SecretKeys
}

/** Creates a webhook, and prints it with its secret. */
export const create = ({ description, ordered, types, url, ...others }: CreateInput) =>
  call.run({
    ...others,
    operation: "createWebhook",
    fields: [
      `url=${url}`,
      `ordered=${ordered}`,
      ...Option.match(types, {
        onNone: () => [],
        onSome: (text) => [`types=${JSON.stringify(text.split(",").map((type) => type.trim()))}`]
      }),
      ...Option.match(description, { onNone: () => [], onSome: (text) => [`description=${text}`] })
    ],
    json: true,
    yes: true
  })

interface EncryptInput {
  readonly database: Database
  readonly secretKeys: SecretKeys
}

/** Encrypts what is secret of every webhook with the first key. */
export const encrypt = ({ database, secretKeys }: EncryptInput) =>
  Effect.gen(function* () {
    if (secretKeys === undefined) {
      return yield* new UsageError({ message: "Set PETSTORE_SECRET_KEY, or name a file with --secret-key-file" })
    }
    const encrypting = Effect.flatMap(Petstore, ({ encryptSecrets }) => encryptSecrets)
    const count = yield* Effect.provide(encrypting, openExisting(database, withSecretKeys(secretKeys)))
    yield* Console.log(
      count === 1
        ? "1 webhook was encrypted; all are encrypted with the first key."
        : `${count} webhooks were encrypted; all are encrypted with the first key.`
    )
  })
