import { checkRest, valuesOf } from "@petstore/core/domain"
import type { WebhookOutcome, WebhookRequest, WebhookSender } from "@petstore/core/ports"
import { CallSignal } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AllowedAddresses } from "./AllowedAddresses.ts"
import { AttemptSlots } from "./AttemptSlots.ts"
import { after } from "./after.ts"
import { Connections } from "./Connections.ts"
import { checkedLookup } from "./checkedLookup.ts"
import { dnsResolver } from "./dnsResolver.ts"
import { exchange } from "./exchange.ts"
import { failure, failureOf } from "./failures.ts"
import { signed } from "./signed.ts"
import { checkWebhookSenderOptions, type WebhookSenderOptions, webhookSenderOptions } from "./WebhookSenderOptions.ts"
import { parseWebhookUrl, type WebhookUrl } from "./WebhookUrl.ts"

const userAgent = "Petstore-Webhooks (+https://github.com/petstore-engine/petstore)"

const headersOf = ({ body, id, secrets, timestamp, traceparent }: WebhookRequest) => ({
  ...signed(secrets.map(Redacted.value), id, timestamp, body),
  ...(traceparent === undefined ? {} : { traceparent }),
  "Content-Type": "application/json",
  "Content-Length": Buffer.byteLength(body),
  "User-Agent": userAgent
})

/**
 * Sends webhooks from Node.js, safely: by https, and only to addresses of the public internet unless the options list others.
 * Each name is resolved once per connection, all its addresses are checked, and one of them is connected to. Redirects are
 * failures, responses are bounded in time and size and discarded, and no proxy is used. Throws a TypeError for invalid options.
 */
export const webhookSender: (options?: WebhookSenderOptions) => WebhookSender["Service"] = (
  options = {},
  more?: unknown
) => {
  checkRest("webhookSender", "{ allowLoopback: true }", more)
  checkWebhookSenderOptions(options)
  const allowed = new AllowedAddresses(options)
  const resolve = options.resolveName ?? dnsResolver()
  const { connectionLimit, responseLimit } = valuesOf(webhookSenderOptions, options)
  const slots = new AttemptSlots(connectionLimit)
  const connections = new Connections(connectionLimit, options.certificateAuthorities)

  const attempt = (webhook: WebhookRequest, url: WebhookUrl): Effect.Effect<WebhookOutcome> => {
    let status = (): number | undefined => undefined
    const exchanged = Effect.clockWith((clock) =>
      Effect.callback<WebhookOutcome>((resume) => {
        let end = (): void => {}
        const ended = new CallSignal()
        const done = (outcome: WebhookOutcome): void => {
          end()
          ended.abort()
          resume(Effect.succeed(outcome))
        }
        const request = connections.request(url, {
          method: "POST",
          headers: headersOf(webhook),
          lookup: (...asked) => checkedLookup(resolve, allowed, url.protocol, ended.signal)(...asked)
        })
        status = exchange(request, webhook.body, responseLimit, () => clock.currentTimeMillisUnsafe(), done)
        const { timeout } = webhook
        end = after(clock, timeout, () => {
          done(failure("timeout", `There was no complete response within ${timeout} ms.`, status()))
          request.destroy()
        })
        return Effect.sync(() => {
          end()
          request.destroy()
        })
      })
    )
    return Effect.catchDefect(exchanged, (defect) => Effect.succeed(failureOf(defect, status())))
  }

  /** Makes an attempt when it is its turn, signed with the time of then: receivers refuse signatures that are minutes old. */
  const attemptInTurn = (webhook: WebhookRequest, url: WebhookUrl): Effect.Effect<WebhookOutcome> =>
    Effect.clockWith((clock) => {
      const asked = clock.monotonicTimeNanosUnsafe()
      const inTurn = Effect.suspend(() => {
        const waited = Number((clock.monotonicTimeNanosUnsafe() - asked) / 1_000_000_000n)
        return attempt({ ...webhook, timestamp: webhook.timestamp + waited }, url)
      })
      return slots.run(webhook.webhookId, inTurn)
    })

  return {
    send: (webhook) => {
      const url = parseWebhookUrl(webhook.url, allowed)
      return typeof url === "string" ? Effect.succeed(failure("address", url)) : attemptInTurn(webhook, url)
    },
    urlProblem: (text) => {
      const url = parseWebhookUrl(text, allowed)
      return typeof url === "string" ? url : undefined
    }
  }
}
