import type { WebhookEvent } from "../domain/webhooks/Webhook.ts"
import { isThenable, shown } from "./received.ts"
import { isSigned } from "./Signature.ts"
import { parseHeaders, type WebhookHeaders } from "./WebhookHeaders.ts"
import { WebhookVerificationError } from "./WebhookVerificationError.ts"

/** How a webhook is verified. */
export interface VerifyWebhookOptions {
  /** Maximum difference between the time of the request and the current time, in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  /** Milliseconds since 1970, for tests. Default: the time of the system. */
  readonly now?: number | undefined
}

const fail = (code: WebhookVerificationError["code"], message: string): never => {
  throw new WebhookVerificationError(code, message)
}

/** Also for one of another realm, which test runners and sandboxes have: `instanceof` knows only its own. */
const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === "[object ArrayBuffer]"

const rawBytes = (body: unknown): Uint8Array => {
  if (typeof body === "string") return new TextEncoder().encode(body)
  if (isArrayBuffer(body)) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (isThenable(body)) return fail("parsed_body", "The body is a promise: await it, as in await request.text().")
  return fail(
    "parsed_body",
    `The body is ${body === undefined || body === null ? "absent" : "neither bytes nor text"}: it was read or parsed before. Pass the raw bytes that arrived, for example with express.raw({ type: "application/json" }) for this route.`
  )
}

/** Throws a TypeError for options of the wrong type, which plain JavaScript may pass. Smaller than the check of other options. */
const checkOptions = (options: unknown): void => {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `verifyWebhook takes an object of options, such as { toleranceSeconds: 300 }, not ${shown(options)}`
    )
  }
  const names = Object.getOwnPropertySymbols(options).map(String)
  for (const name in options) names.push(name)
  for (const name of names) {
    if (name !== "now" && name !== "toleranceSeconds") {
      throw new TypeError(`verifyWebhook does not know the option ${name}; it takes toleranceSeconds, now`)
    }
  }
  const { now = 0, toleranceSeconds = 0 }: { readonly now?: unknown; readonly toleranceSeconds?: unknown } = options
  if (!(typeof toleranceSeconds === "number" && toleranceSeconds >= 0 && Number.isFinite(toleranceSeconds))) {
    throw new TypeError(
      `The option toleranceSeconds takes a number of seconds, 0 or more, not ${shown(toleranceSeconds)}`
    )
  }
  if (!Number.isFinite(now)) throw new TypeError(`The option now takes milliseconds since 1970, not ${shown(now)}`)
}

const checkTime = (timestamp: number, { now = Date.now(), toleranceSeconds = 300 }: VerifyWebhookOptions): void => {
  const age = Math.floor(now / 1000) - timestamp
  if (age > toleranceSeconds) {
    fail(
      "timestamp_too_old",
      `The request was signed ${age} s ago, and the tolerance is ${toleranceSeconds} s. It is an old request, or the clock of this machine is wrong.`
    )
  }
  if (-age > toleranceSeconds) {
    fail(
      "timestamp_too_new",
      `The request was signed ${-age} s in the future, and the tolerance is ${toleranceSeconds} s. Check the clock of this machine.`
    )
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value has the fields of every event and of a test. What it carries is trusted, because the petstore signed it. */
const isEvent = (value: unknown): value is WebhookEvent =>
  isRecord(value) &&
  typeof value.id === "string" &&
  typeof value.type === "string" &&
  typeof value.timestamp === "string" &&
  typeof value.subject === "string" &&
  isRecord(value.data)

const eventIn = (bytes: Uint8Array): WebhookEvent => {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return fail("malformed_body", "The signature is right, but the body is not JSON in UTF-8.")
  }
  return isEvent(value)
    ? value
    : fail("malformed_body", "The signature is right, but the body is not an event. Something else knows the secret.")
}

/**
 * Verifies that a request is a webhook of a petstore, and returns its event. During a change of the secret, pass the old and
 * the new one: it is enough if one of them signed the request.
 *
 * A test of the endpoint has the type `webhook.test`, and belongs to no change. A newer petstore may send types of events that this version does not know: they are returned, too, so give a `switch`
 * over the type a `default`. An event may arrive more than once; its `id` stays the same.
 *
 * Rejects with a {@link WebhookVerificationError}: respond with its `status`.
 *
 * @example
 * ```ts
 * import { verifyWebhook, WebhookVerificationError } from "@petstore/core/verify-webhook"
 *
 * export const receive = async (request: Request): Promise<Response> => {
 *   try {
 *     const event = await verifyWebhook(process.env.WEBHOOK_SECRET ?? "", request.headers, await request.arrayBuffer())
 *     if (event.type === "order.completed") console.log("ship order", event.data.id)
 *     return new Response(null, { status: 204 })
 *   } catch (error) {
 *     if (error instanceof WebhookVerificationError) return new Response(error.message, { status: error.status })
 *     throw error
 *   }
 * }
 * ```
 */
export const verifyWebhook = async (
  secret: string | ReadonlyArray<string>,
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  options: VerifyWebhookOptions = {}
): Promise<WebhookEvent> => {
  checkOptions(options)
  const secrets: ReadonlyArray<unknown> = Array.isArray(secret) ? secret : [secret]
  if (secrets.length === 0) fail("invalid_secret", "There is no secret. Pass the secret of the endpoint.")
  const body = rawBytes(rawBody)
  const { id, signatures, timestamp } = parseHeaders(headers)
  checkTime(timestamp, options)
  if (!(await isSigned(secrets, { id, timestamp, body }, signatures))) {
    fail(
      "signature_mismatch",
      "No signature fits. Pass the secret of this endpoint, and the body exactly as it arrived: not parsed, changed or serialized again."
    )
  }
  return eventIn(body)
}
