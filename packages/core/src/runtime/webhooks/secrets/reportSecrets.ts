import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Storage } from "../../../ports/Storage.ts"
import { WebhookSecrets } from "../../../programs/webhooks/secrets/WebhookSecrets.ts"
import { endpoints } from "../../../tables/index.ts"

const pageSize = 100

/** Logs, when a petstore opens, which webhooks it has no key for, and whether it stores secrets in clear text. */
export const reportSecrets = Layer.effectDiscard(
  Effect.gen(function* () {
    const storage = yield* Storage
    const secrets = yield* WebhookSecrets
    for (let after = 0; ; ) {
      const page = yield* storage.select(endpoints, after, pageSize)
      const last = page.at(-1)
      if (last === undefined) return
      if (page.some(secrets.isClear)) yield* secrets.reportClear
      for (const record of page) {
        const opened = secrets.open(record)
        if (Result.isFailure(opened)) yield* secrets.report(opened.failure)
      }
      after = last.webhook.id
    }
  }).pipe(Effect.ignore)
)
