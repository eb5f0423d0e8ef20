import type { IncomingMessage } from "node:http"
import type { WebhookFailureReason, WebhookOutcome } from "@petstore/core/ports"
import { WebhookVerificationError } from "@petstore/core/verify-webhook"
import { retryAfterOf } from "../retryAfter.ts"
import { AddressNotAllowed } from "./checkedLookup.ts"

type Failure = Extract<WebhookOutcome, { readonly delivered: false }>

/** A failed attempt. */
export const failure = (reason: WebhookFailureReason, message: string, status?: number): Failure => ({
  delivered: false,
  reason,
  message,
  ...(status === undefined ? {} : { status })
})

const certificate = (problem: string) => `The certificate of the receiver ${problem}. Renew or replace it.`
const untrusted = certificate("is not from an authority that Node.js trusts, or its chain is incomplete")

/** What errors of sockets, TLS and DNS mean. Their own messages are not used: they may contain what the receiver sent. */
const meanings: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: certificate("has expired"),
  CERT_NOT_YET_VALID: certificate("is not valid yet"),
  CERT_REVOKED: certificate("is revoked"),
  CERT_SIGNATURE_FAILURE: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: certificate("is for another host"),
  ECONNREFUSED: "The connection was refused: nothing listens at this host and port.",
  ECONNRESET: "The connection was closed before the response was complete.",
  EPIPE: "The connection was closed before the request was sent.",
  EHOSTUNREACH: "The host cannot be reached from here.",
  ENETUNREACH: "The network of the host cannot be reached from here.",
  ETIMEDOUT: "The host did not accept the connection.",
  ENODATA: "The name has no address.",
  ENOTFOUND: "The name does not exist, or has no address."
}

/** The code of an error, if it is of a form that is safe to show. */
const codeOf = (error: unknown): string => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return typeof code === "string" && /^[A-Z\d_]{1,60}$/.test(code) ? code : "no code"
}

/** The outcome of an attempt that ended with an error; `status` is that of a response that had begun. */
export const failureOf = (error: unknown, status?: number): Failure => {
  if (error instanceof AddressNotAllowed) return failure("address", error.message)
  if (error instanceof WebhookVerificationError) {
    return failure("connection", "The secret of this webhook is not valid, so that nothing was sent. Rotate it.")
  }
  const code = codeOf(error)
  if (code === "HPE_HEADER_OVERFLOW") return failure("response_too_large", "The headers of the response are too large.")
  if (code.startsWith("HPE_")) return failure("invalid_response", `The response is not valid HTTP (${code}).`, status)
  return failure("connection", meanings[code] ?? `The connection failed (${code}).`, status)
}

/** The longest that a receiver can ask to wait, in seconds: a day. */
const longestSeconds = 86_400

/** The seconds that a receiver asks to wait; undefined if it asks for nothing. */
const pauseOf = (headers: IncomingMessage["headers"], now: number): number | undefined => {
  const wait = retryAfterOf(headers["retry-after"], now)
  return wait === undefined ? undefined : Math.min(Math.ceil(wait / 1_000), longestSeconds)
}

const failureOfStatus = (status: number): Failure => {
  if (status === 410) return failure("gone", "The receiver responded 410: it wants no more events.", status)
  if (status >= 300 && status < 400) {
    return failure("redirect", `The receiver redirects (${status}). Give the URL that it redirects to.`, status)
  }
  return failure("status", `The receiver responded ${status}.`, status)
}

/** The outcome if status and headers decide it, which they do unless the status is 2xx. */
export const outcomeOfHead = ({ headers, statusCode = 0 }: IncomingMessage, now: number): Failure | undefined => {
  if (statusCode >= 200 && statusCode < 300) return undefined
  const retryAfter = pauseOf(headers, now)
  return { ...failureOfStatus(statusCode), ...(retryAfter === undefined ? {} : { retryAfter }) }
}
