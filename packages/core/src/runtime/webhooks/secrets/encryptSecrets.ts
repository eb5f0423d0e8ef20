import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SecretUnreadable } from "../../../domain/errors/ServiceErrors.ts"
import type { Command } from "../../../kernel/Command.ts"
import { Storage } from "../../../ports/Storage.ts"
import type { StorageError } from "../../../ports/StorageError.ts"
import type { Call } from "../../../programs/Call.ts"
import { Commands } from "../../../programs/Commands.ts"
import { WebhookSecrets } from "../../../programs/webhooks/secrets/WebhookSecrets.ts"
import { endpoints, webhooks } from "../../../tables/index.ts"

const pageSize = 100

interface Encrypted {
  readonly encrypted: number
  readonly unreadable: SecretUnreadable | undefined
}

const noKey = "This petstore has no secretKey to encrypt with. Open it with the option secretKey."

/** Encrypts endpoints, in ascending id. Returns how many it changed, and the first that cannot be decrypted. */
function* encrypt({ tx }: Call, secrets: WebhookSecrets["Service"], ids: ReadonlyArray<number>): Command<Encrypted> {
  let [encrypted, unreadable]: [number, SecretUnreadable | undefined] = [0, undefined]
  for (const id of ids) {
    const record = yield* tx.lock(webhooks, id)
    if (record === undefined || secrets.isCurrent(record)) continue
    const opened = secrets.open(record)
    if (Result.isFailure(opened)) unreadable ??= opened.failure
    else {
      tx.save(webhooks, secrets.seal(opened.success))
      encrypted++
    }
  }
  return { encrypted, unreadable }
}

/**
 * Encrypts what is secret of every webhook with the first key: what is in clear text, and what another key has encrypted. Returns how
 * many webhooks it changed. If some cannot be decrypted, encrypts all others before it fails.
 */
export const encryptSecrets: Effect.Effect<
  number,
  SecretUnreadable | StorageError,
  Commands | Storage | WebhookSecrets
> = Effect.gen(function* () {
  const { run: runCommand } = yield* Commands
  const storage = yield* Storage
  const secrets = yield* WebhookSecrets
  if (!secrets.hasKey) return yield* Effect.die(new TypeError(noKey))

  let [encrypted, unreadable]: [number, SecretUnreadable | undefined] = [0, undefined]
  for (let after = 0; ; ) {
    const ids = (yield* storage.select(endpoints, after, pageSize)).map(({ webhook }) => webhook.id)
    const last = ids.at(-1)
    if (last === undefined) break
    const page = yield* runCommand("webhooks.encrypt", (call) => encrypt(call, secrets, ids))
    encrypted += page.encrypted
    unreadable ??= page.unreadable
    after = last
  }
  return unreadable === undefined ? encrypted : yield* unreadable
})
