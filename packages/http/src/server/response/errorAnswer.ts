import {
  InsufficientScope,
  InternalError,
  InvalidApiKey,
  MethodNotAllowed,
  type PetstoreError,
  RateLimited,
  Unauthenticated
} from "@petstore/core/domain"
import { type Answer, jsonAnswer } from "../Answer.ts"
import { BodyTaken } from "../request/BodyTaken.ts"

/** After how many seconds it makes sense to repeat a request that failed so. */
const retryAfter: { readonly [code: string]: number } = {
  idempotency_in_progress: 1,
  storage_busy: 1,
  storage_full: 30,
  storage_unavailable: 30,
  overloaded: 1,
  shutting_down: 5,
  request_timeout: 1,
  commit_unknown: 1
}

/** What `WWW-Authenticate` says of an error; undefined where it is not sent. */
export type Challenge = (error: PetstoreError) => string | undefined

/** Asks for an API key (RFC 6750). */
export const bearerChallenge: Challenge = (error) => {
  if (error instanceof Unauthenticated) return 'Bearer realm="petstore"'
  if (error instanceof InvalidApiKey) return 'Bearer realm="petstore", error="invalid_token"'
  if (error instanceof InsufficientScope) {
    return `Bearer realm="petstore", error="insufficient_scope", scope="${error.details.scope}"`
  }
  return undefined
}

/** How one signs in is the host's affair; but a 401 has to name a scheme (RFC 9110, section 15.5.2). */
export const sessionChallenge: Challenge = ({ status }) => (status === 401 ? 'Session realm="petstore"' : undefined)

/** The headers that belong to an error. */
const headersOf = (error: PetstoreError, challenge: Challenge): ReadonlyArray<string> => {
  const asked = challenge(error)
  if (asked !== undefined) return ["WWW-Authenticate", asked]
  if (error instanceof MethodNotAllowed) return ["Allow", error.details.allow.join(", ")]
  if (error instanceof RateLimited) return ["Retry-After", String(error.details.retryAfterSeconds)]
  const seconds = retryAfter[error.code]
  return seconds === undefined ? [] : ["Retry-After", String(seconds)]
}

/** The answer for an error. What is wrong inside stays inside. */
export const errorAnswer = (
  error: PetstoreError,
  headers: Array<string>,
  challenge: Challenge = bearerChallenge
): Answer<string> => {
  const shown = error.status === 500 && !(error instanceof BodyTaken) ? new InternalError({}) : error
  headers.push(...headersOf(shown, challenge))
  return jsonAnswer(shown.status, headers, JSON.stringify(shown))
}
