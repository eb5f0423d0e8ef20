import {
  CrossSiteRequest,
  type ErrorCode,
  InsufficientScope,
  InternalError,
  InvalidApiKey,
  isErrorCode,
  MethodNotAllowed,
  type PetstoreError,
  RateLimited,
  Unauthenticated
} from "@petstore/core/domain"
import { AppFault } from "../HttpRequest.ts"
import { type HttpResponse, jsonResponse } from "../HttpResponse.ts"

/** After how many seconds a client may retry, by error code. */
const retryAfter: { readonly [code: string]: number | undefined } = {
  idempotency_in_progress: 1,
  storage_busy: 1,
  storage_full: 30,
  storage_unavailable: 30,
  overloaded: 1,
  too_many_streams: 5,
  shutting_down: 5,
  request_timeout: 1,
  secret_unreadable: 30,
  commit_unknown: 1
} satisfies { readonly [code in ErrorCode]?: number }

/** Returns the value of `WWW-Authenticate` for an error; undefined if it is not sent. */
export type Challenge = (error: PetstoreError) => string | undefined

/** Asks for an API key (RFC 6750). */
export const bearerChallenge: Challenge = (error) => {
  if (error instanceof Unauthenticated || error instanceof CrossSiteRequest) return 'Bearer realm="petstore"'
  if (error instanceof InvalidApiKey) return 'Bearer realm="petstore", error="invalid_token"'
  if (error instanceof InsufficientScope) {
    return `Bearer realm="petstore", error="insufficient_scope", scope="${error.details.scope}"`
  }
  return undefined
}

/** For sessions of the host application. How users sign in is up to that, but a 401 must name a scheme (RFC 9110, section 15.5.2). */
export const sessionChallenge: Challenge = ({ status }) => (status === 401 ? 'Session realm="petstore"' : undefined)

const headersOf = (error: PetstoreError, challenge: Challenge): ReadonlyArray<string> => {
  const authenticate = challenge(error)
  if (authenticate !== undefined) return ["WWW-Authenticate", authenticate]
  if (error instanceof MethodNotAllowed) return ["Allow", error.details.allow.join(", ")]
  if (error instanceof RateLimited) return ["Retry-After", String(error.details.retryAfterSeconds)]
  const seconds = retryAfter[error.code]
  return seconds === undefined ? [] : ["Retry-After", String(seconds)]
}

/**
 * Makes the response for an error, with a link to its page under `docs`. The message of an internal error is replaced: it may contain
 * what clients must not see.
 */
export const errorResponse = (
  error: PetstoreError,
  headers: Array<string>,
  docs: string,
  challenge: Challenge = bearerChallenge
): HttpResponse<string> => {
  const shown = error.status === 500 && !(error instanceof AppFault) ? new InternalError({}) : error
  headers.push("Cache-Control", "no-store", ...headersOf(shown, challenge))
  if (isErrorCode(shown.code)) headers.push("Link", `<${docs}/errors/${shown.code}>; rel="help"`)
  return jsonResponse(shown.status, headers, JSON.stringify(shown))
}
