import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type ClientError, ConnectionLost, NoAnswerInTime, UnexpectedAnswer, UnlistedError } from "./ClientErrors.ts"

/**
 * What is known of a request that failed. `final`: it was refused, and would be again. `not done`: it changed nothing,
 * and may succeed later. `unknown`: if it changes anything, it may have done so.
 */
export type Fate = "final" | "not done" | "unknown"

/** A request that failed, and after how many milliseconds the server wants to see it again. */
export interface Failure {
  readonly error: ClientError
  readonly fate: Fate
  readonly retryAfter: number
}

const notDone: ReadonlySet<string> = new Set<ClientError["code"]>([
  "incomplete_request",
  "idempotency_in_progress",
  "rate_limited",
  "storage_busy",
  "storage_full",
  "storage_unavailable",
  "overloaded",
  "shutting_down",
  "request_timeout"
])

/** Statuses that refuse a request before it is carried out, whoever answers them. */
const turnedAway: ReadonlySet<number> = new Set([408, 429])
/** Statuses of servers in between, which may or may not have passed the request on. */
const gateway: ReadonlySet<number> = new Set([502, 503, 504])

const fateOfStatus = (status: number): Fate =>
  turnedAway.has(status) ? "not done" : gateway.has(status) ? "unknown" : "final"

const fateOf = (error: ClientError): Fate => {
  if (error instanceof ConnectionLost || error instanceof NoAnswerInTime) {
    return error.details.mayBeDone ? "unknown" : "not done"
  }
  if (error instanceof UnexpectedAnswer) return fateOfStatus(error.details.answered)
  if (error instanceof UnlistedError) return fateOfStatus(error.status)
  if (error.code === "commit_unknown") return "unknown"
  return notDone.has(error.code) ? "not done" : "final"
}

/** The wait that a `Retry-After` header asks for: seconds or a date (RFC 9110, section 10.2.3). */
const waitOf = (header: string | null, now: number): number => {
  if (header === null) return 0
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(wait) ? 0 : Math.max(0, wait)
}

/** The failure of a request, with the headers of its answer if there was one. */
export const failed = (error: ClientError, headers?: Headers): Effect.Effect<never, Failure> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.fail({ error, fate: fateOf(error), retryAfter: waitOf(headers?.get("retry-after") ?? null, now) })
  )
