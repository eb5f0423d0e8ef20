import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { retryAfterOf } from "../retryAfter.ts"
import { type ClientError, ConnectionLost, ResponseTimeout, UnexpectedResponse, UnlistedError } from "./ClientErrors.ts"

/**
 * The outcome of a request that failed. `refused`: it changed nothing, and would fail again. `not done`: it changed
 * nothing, and may succeed later. `unknown`: a write may have been carried out.
 */
type Outcome = "refused" | "not done" | "unknown"

/** A request that failed, and how many milliseconds to wait before the next, by the response of the server. */
export interface Failure {
  readonly error: ClientError
  readonly outcome: Outcome
  readonly retryAfter: number
}

const notDone: ReadonlySet<string> = new Set<ClientError["code"]>([
  "incomplete_request",
  "idempotency_in_progress",
  "rate_limited",
  "too_many_streams",
  "storage_busy",
  "storage_full",
  "storage_unavailable",
  "overloaded",
  "shutting_down",
  "request_timeout"
])

/** Statuses of requests that were rejected before they were carried out, by a petstore or a proxy. */
const notDoneStatuses: ReadonlySet<number> = new Set([408, 429])
/** Statuses of proxies, which may have passed the request on. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

const outcomeOfStatus = (status: number): Outcome =>
  notDoneStatuses.has(status) ? "not done" : gatewayStatuses.has(status) ? "unknown" : "refused"

const outcomeOf = (error: ClientError): Outcome => {
  if (error instanceof ConnectionLost || error instanceof ResponseTimeout) {
    return error.details.mayBeDone ? "unknown" : "not done"
  }
  if (error instanceof UnexpectedResponse) return outcomeOfStatus(error.details.responseStatus)
  if (error instanceof UnlistedError) return outcomeOfStatus(error.status)
  if (error.code === "commit_unknown") return "unknown"
  return notDone.has(error.code) ? "not done" : "refused"
}

/** The failure of a request, with the headers of its response if there was one. */
export const failed = (error: ClientError, headers?: Headers): Effect.Effect<never, Failure> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.fail({ error, outcome: outcomeOf(error), retryAfter: retryAfterOf(headers?.get("retry-after"), now) ?? 0 })
  )
