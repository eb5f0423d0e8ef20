import * as Effect from "effect/Effect"
import type { SecretUnreadable } from "../../domain/errors/ServiceErrors.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { WebhookSecrets } from "./WebhookSecrets.ts"

const pageSize = 100

const noKey = "This petstore has no secretKey to encrypt with. Open it with the option secretKey."

/**
 * Encrypts what is secret of every webhook with the first key: what is in clear text, and what another key has encrypted. Returns how
 * many webhooks it changed. If some cannot be decrypted, encrypts all others before it fails.
 */
export const encryptSecrets: Effect.Effect<number, SecretUnreadable | StorageError, Storage | WebhookSecrets> =
  Effect.gen(function* () {
    const { transact, webhooks } = yield* Storage
    const secrets = yield* WebhookSecrets
    if (!secrets.hasKey) return yield* Effect.die(new TypeError(noKey))

    const encrypt = Effect.fnUntraced(function* (id: number) {
      const record = yield* webhooks.lock(id)
      if (record === undefined || secrets.isCurrent(record)) return 0
      yield* webhooks.save(yield* secrets.open(record))
      return 1
    })

    let encrypted = 0
    let unreadable: SecretUnreadable | undefined
    for (let after = 0; ; ) {
      const page = yield* webhooks.list(after, pageSize)
      const last = page.at(-1)
      if (last === undefined) break
      const results = yield* transact(
        Effect.forEach(page, ({ webhook }) =>
          Effect.catchTag(encrypt(webhook.id), "SecretUnreadable", (error) => Effect.succeed(error))
        ),
        "webhooks.encrypt"
      )
      for (const result of results) {
        if (typeof result === "number") encrypted += result
        else unreadable ??= result
      }
      after = last.webhook.id
    }
    return unreadable === undefined ? encrypted : yield* unreadable
  })
