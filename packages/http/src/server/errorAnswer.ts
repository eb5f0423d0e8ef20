import {
  InsufficientScope,
  InternalError,
  InvalidApiKey,
  MethodNotAllowed,
  type PetstoreError,
  RateLimited,
  Unauthenticated
} from "@petstore/core/domain"
import { type Answer, jsonAnswer } from "./Answer.ts"
import { BodyTaken } from "./BodyTaken.ts"

/** After how many seconds it makes sense to repeat a request that failed so. */
const retryAfter: { readonly [code: string]: number } = {
  idempotency_in_progress: 1,
  storage_busy: 1,
  storage_full: 30,
  overloaded: 1,
  shutting_down: 5,
  request_timeout: 1,
  commit_unknown: 1
}

/** The headers that belong to an error. */
const headersOf = (error: PetstoreError): ReadonlyArray<string> => {
  if (error instanceof Unauthenticated) return ["WWW-Authenticate", 'Bearer realm="petstore"']
  if (error instanceof InvalidApiKey) return ["WWW-Authenticate", 'Bearer realm="petstore", error="invalid_token"']
  if (error instanceof InsufficientScope) {
    return ["WWW-Authenticate", `Bearer realm="petstore", error="insufficient_scope", scope="${error.details.scope}"`]
  }
  if (error instanceof MethodNotAllowed) return ["Allow", error.details.allow.join(", ")]
  if (error instanceof RateLimited) return ["Retry-After", String(error.details.retryAfterSeconds)]
  const seconds = retryAfter[error.code]
  return seconds === undefined ? [] : ["Retry-After", String(seconds)]
}

/** The answer for an error. What is wrong inside stays inside. */
export const errorAnswer = (error: PetstoreError, headers: Array<string>): Answer => {
  const shown = error.status === 500 && !(error instanceof BodyTaken) ? new InternalError({}) : error
  headers.push(...headersOf(shown))
  return jsonAnswer(shown.status, headers, JSON.stringify(shown))
}
