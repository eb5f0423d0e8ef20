import * as Schema from "effect/Schema"
import { limits } from "../domain/limits.ts"
import { AttemptFailure } from "../webhooks/Delivery.ts"
import { isSealed, parseEnvelope } from "../webhooks/secrets/Envelope.ts"
import { isWebhookSecret, WebhookUrl } from "../webhooks/Webhook.ts"
import { webhookUrlProblem } from "../webhooks/WebhookState.ts"
import type { DeliveryRecord, WebhookRecord } from "../webhooks/webhookTables.ts"

const isCount = (value: number, least: number): boolean => Number.isSafeInteger(value) && value >= least

const isFailure = (failure: string): boolean => AttemptFailure.literals.some((one) => one === failure)

const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status <= 299

const isSecret = (text: string): boolean => (isSealed(text) ? parseEnvelope(text) !== undefined : isWebhookSecret(text))

const isWrittenUrl = Schema.is(WebhookUrl)

const isUrl = (text: string): boolean =>
  isSealed(text)
    ? parseEnvelope(text) !== undefined
    : // A sender for tests may allow http.
      isWrittenUrl(text) && webhookUrlProblem(text.replace(/^http:/, "https:")) === undefined

/** Whether a value that was stored is a route. */
export const isRoute = (route: unknown): boolean =>
  typeof route === "object" && route !== null && "after" in route && Number.isSafeInteger(route.after)

/** What is wrong with an endpoint in itself, in words; undefined if nothing is. */
export const webhookProblem = ({
  failingSince,
  previous,
  route,
  secret,
  version,
  webhook
}: WebhookRecord): string | undefined => {
  if (!isSecret(secret) || (previous !== undefined && !isSecret(previous.secret))) return "its secret is invalid"
  if (!isUrl(webhook.url)) return "its URL is invalid"
  if (!isCount(webhook.concurrency, 1) || webhook.concurrency > limits.webhookConcurrency)
    return "its concurrency is out of range"
  if (!isCount(version, 1)) return "its version is not a positive integer"
  if (!isRoute(route)) return "its route is invalid"
  if (failingSince !== undefined && failingSince < webhook.createdAt) return "it failed before it was created"
  return undefined
}

/** What is wrong with a delivery in itself, in words; undefined if nothing is. */
export const deliveryProblem = ({ delivery, lease }: DeliveryRecord): string | undefined => {
  const { attempts, failure, finishedAt, lastAttemptAt, message, nextAttemptAt, responseStatus, status } = delivery
  if (!isCount(attempts, 0) || !isCount(lease.fence, 0)) return "its attempts or its fence is not a count"
  if ((failure === undefined) !== (message === undefined))
    return "it has a failure without a message, or a message without a failure"
  if (failure !== undefined && !isFailure(failure)) return "its failure is unknown"
  if (attempts > lease.fence) return "it has more attempts than claims"
  if (attempts > 0 && lastAttemptAt === undefined) return "its last attempt has no time"
  if (lastAttemptAt === undefined && (failure !== undefined || responseStatus !== undefined))
    return "it has an outcome without an attempt"
  if (lastAttemptAt !== undefined && lease.fence === 0) return "an attempt was made without a claim"
  if (status === "pending") {
    if (finishedAt !== undefined) return "it has ended, and is pending"
    if (lease.until !== undefined && lease.until !== nextAttemptAt)
      return "its next attempt is not the end of its lease"
    return undefined
  }
  if (nextAttemptAt !== undefined || lease.until !== undefined) return "it has ended, and has a next attempt"
  if (attempts === 0 || finishedAt !== lastAttemptAt) return "it did not end with its last attempt"
  if (status === "delivered")
    return failure === undefined && isSuccess(responseStatus) ? undefined : "it was not delivered"
  return failure === undefined ? "it failed without a failure" : undefined
}
