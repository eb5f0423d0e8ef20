import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SecretUnreadable } from "../../../domain/errors/ServiceErrors.ts"
import { isSealed, parseEnvelope } from "../../../domain/webhooks/secrets/Envelope.ts"
import type { Webhook } from "../../../domain/webhooks/Webhook.ts"
import { Hasher } from "../../../ports/Hasher.ts"
import type { WebhookRecord } from "../../../tables/webhookTables.ts"
import type { SecretBox } from "./secretBox.ts"
import { secretKeys } from "./secretKeys.ts"

type Column = "url" | "secret" | "previous_secret"

/** What stands before an envelope: the tables take no secret that does not begin like this. */
const prefixes = { url: "", secret: "whsec_", previous_secret: "whsec_" } as const satisfies Record<Column, string>

/** Encrypts and decrypts the URLs and secrets of webhooks. Stores hold them as they are; those in clear text are read as well. */
export class WebhookSecrets extends Context.Service<
  WebhookSecrets,
  {
    /** Whether this petstore has a key: it then stores no URL and no secret in clear text. */
    readonly hasKey: boolean
    /** The URL of an endpoint in clear text. */
    readonly openUrl: (webhook: Webhook) => Result.Result<string, SecretUnreadable>
    /** The row in clear text. */
    readonly open: (record: WebhookRecord) => Result.Result<WebhookRecord, SecretUnreadable>
    /** Logs that a row cannot be decrypted, once for each webhook. */
    readonly report: (error: SecretUnreadable) => Effect.Effect<void>
    /**
     * The row with what is in clear text encrypted; as it is without a key, and of a deleted endpoint, which has no secret. Commands
     * save no row without it.
     */
    readonly seal: (record: WebhookRecord) => WebhookRecord
    /** Whether something that is secret is stored in clear text. */
    readonly isClear: (record: WebhookRecord) => boolean
    /** Warns that secrets are stored in clear text, once, if they are: in memory, nothing is stored. */
    readonly reportClear: Effect.Effect<void>
    /** Whether everything that is secret is encrypted with the first key. */
    readonly isCurrent: (record: WebhookRecord) => boolean
  }
>()("@petstore/core/webhooks/secrets/WebhookSecrets") {
  /** `storage`: the kind of store. */
  static readonly layer = (secretKey: string | ReadonlyArray<string> | undefined, storage: string) =>
    Layer.effect(
      WebhookSecrets,
      Effect.map(secretKey === undefined ? Effect.undefined : loadBox(secretKey), (box) =>
        secretsOf(box, storage !== "memory")
      )
    )
}

/** The cipher is loaded if there is a key: most petstores have no webhooks. */
const loadBox = Effect.fnUntraced(function* (secretKey: string | ReadonlyArray<string>) {
  const hasher = yield* Hasher
  const [first, ...others] = secretKeys(secretKey, hasher)
  if (first === undefined) return undefined
  const { secretBox } = yield* Effect.promise(() => import("./secretBox.ts"))
  return secretBox([first, ...others], hasher)
})

const inClearText =
  "The URLs and secrets of webhooks are stored in clear text, and so in every backup. Open the petstore with the option secretKey (PETSTORE_SECRET_KEY for petstore serve), and run petstore webhooks encrypt once."

const place = (webhookId: number, column: Column): string => `webhooks/${webhookId} ${column}`

/** The clear text of what a webhook has in a column, with the keys of the box. */
const openedWith = (
  box: SecretBox | undefined,
  webhookId: number,
  column: Column,
  text: string
): Result.Result<string, SecretUnreadable> => {
  if (!isSealed(text)) return Result.succeed(text)
  const fail = (problem: string) =>
    Result.fail(new SecretUnreadable({ webhookId }, { message: `The ${column} of webhook ${webhookId} ${problem}` }))
  const envelope = parseEnvelope(text)
  if (envelope === undefined) {
    return fail("is stored in a form that this version does not know: it is damaged, or of a later version.")
  }
  const { keyId } = envelope
  if (box === undefined) {
    return fail(`is encrypted with the key ${keyId}, and this petstore has no secretKey. Open it with that key.`)
  }
  if (!box.keyIds.includes(keyId)) {
    return fail(
      `is encrypted with the key ${keyId}, and the secretKey of this petstore is ${box.keyIds.join(", ")}. Add that key behind the first one.`
    )
  }
  const clear = box.open(envelope, place(webhookId, column))
  return clear === undefined
    ? fail(
        `is not what the key ${keyId} encrypted for it: it was changed, or is of another webhook. Restore it from a backup, or set another ${column}.`
      )
    : Result.succeed(clear)
}

const secretsOf = (box: SecretBox | undefined, isKept: boolean): WebhookSecrets["Service"] => {
  let isReported = box !== undefined || !isKept
  const opened = (webhookId: number, column: Column, text: string) => openedWith(box, webhookId, column, text)

  const sealed = (webhookId: number, column: Column, text: string): string => {
    if (box === undefined || isSealed(text)) return text
    return prefixes[column] + box.seal(text, place(webhookId, column))
  }

  const open = (record: WebhookRecord): Result.Result<WebhookRecord, SecretUnreadable> =>
    Result.gen(function* () {
      const { previous, webhook } = record
      const { id } = webhook
      return {
        ...record,
        webhook: { ...webhook, url: yield* opened(id, "url", webhook.url) },
        secret: yield* opened(id, "secret", record.secret),
        ...(previous === undefined
          ? {}
          : { previous: { ...previous, secret: yield* opened(id, "previous_secret", previous.secret) } })
      }
    })

  const unreadable = new Set<number>()

  return {
    hasKey: box !== undefined,
    openUrl: ({ id, url }) => opened(id, "url", url),
    open,
    report: ({ details: { webhookId }, message }) => {
      if (unreadable.has(webhookId)) return Effect.void
      unreadable.add(webhookId)
      return Effect.logError(`${message} Until then, nothing is sent to it.`)
    },
    seal: (record) => {
      const { deleted, previous, secret, webhook } = record
      if (deleted) return record
      const { id } = webhook
      return {
        ...record,
        webhook: { ...webhook, url: sealed(id, "url", webhook.url) },
        secret: sealed(id, "secret", secret),
        ...(previous === undefined
          ? {}
          : { previous: { ...previous, secret: sealed(id, "previous_secret", previous.secret) } })
      }
    },
    isClear: ({ previous, secret, webhook }) => ![webhook.url, secret, previous?.secret ?? secret].every(isSealed),
    reportClear: Effect.suspend(() => {
      if (isReported) return Effect.void
      isReported = true
      return Effect.logWarning(inClearText)
    }),
    isCurrent: ({ previous, secret, webhook }) =>
      box !== undefined &&
      [webhook.url, secret, previous?.secret ?? secret].every((text) => parseEnvelope(text)?.keyId === box.keyIds[0])
  }
}

/** Until it has an id, to which its secrets are bound, a row is inserted without them. */
export const withoutSecrets = { url: "https://none.invalid/", secret: `${prefixes.secret}${"A".repeat(43)}=` }

/** A deleted endpoint, which stays in the store without what is secret. */
export const forgotten = ({ previous: _, ...record }: WebhookRecord): WebhookRecord => ({
  ...record,
  webhook: { ...record.webhook, url: withoutSecrets.url },
  secret: withoutSecrets.secret,
  deleted: true
})
