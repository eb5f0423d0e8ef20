import { type ErrorCode, NotFound } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { ClientError } from "./ClientErrors.ts"
import type { Failure } from "./Failure.ts"

/** The first wait, in milliseconds; each that follows is twice as long. */
const firstDelay = 200

export interface RetryPolicy {
  readonly retries: number
  /** In milliseconds. */
  readonly maxDelay: number
}

/** What is repeated. */
export interface Repetition {
  readonly method: string
  /** Whether carrying the request out a second time does nothing that the first did not. */
  readonly repeatable: boolean
}

/** Statuses that say nothing about an earlier request whose outcome is not known: they are decided before it is looked for. */
const undecided: ReadonlySet<number> = new Set([401, 403, 408, 410, 429])

/**
 * Refusals that an update may meet because of itself: it takes the version along that it names, or the hold on a pet,
 * which may leave the version as it was.
 */
const ownTraces: ReadonlySet<string> = new Set([
  "precondition_failed",
  "pet_reserved"
] satisfies ReadonlyArray<ErrorCode>)

/** Whether the failure of a repetition tells what became of the request before. */
const decides = (error: ClientError, method: string): boolean =>
  error.status < 500 && !undecided.has(error.status) && !(method === "PATCH" && ownTraces.has(error.code))

/** Half of the backoff is chance, so that those who failed together do not come back together. */
const delayOf = (repetition: number, { maxDelay }: RetryPolicy): Effect.Effect<number> => {
  const backoff = Math.min(firstDelay * 2 ** repetition, maxDelay)
  return Effect.map(Random.next, (chance) => backoff * (0.5 + 0.5 * chance))
}

/**
 * Repeats a request for as long as that is safe and may help. Once it is not known whether the request was carried out, a
 * later failure is answered only if it decides that; otherwise the doubt is what the caller must know of.
 */
export const withRetries = <A>(
  attempt: Effect.Effect<A, Failure>,
  { method, repeatable }: Repetition,
  policy: RetryPolicy
): Effect.Effect<A | undefined, ClientError> => {
  const end = (error: ClientError, doubt: ClientError | undefined): Effect.Effect<undefined, ClientError> => {
    if (doubt === undefined) return Effect.fail(error)
    // Ids are never used again: what is gone now was deleted by the request before, if not by another.
    if (method === "DELETE" && error instanceof NotFound) return Effect.undefined
    return Effect.fail(decides(error, method) ? error : doubt)
  }

  const from = (repetition: number, doubt: ClientError | undefined): Effect.Effect<A | undefined, ClientError> =>
    Effect.catch(attempt, ({ error, fate, retryAfter }) => {
      const maySucceed = fate === "not done" || (fate === "unknown" && repeatable)
      const open = fate === "unknown" && method !== "GET" ? error : doubt
      if (!maySucceed || repetition >= policy.retries || retryAfter > policy.maxDelay) return end(error, open)
      return delayOf(repetition, policy).pipe(
        Effect.flatMap((delay) => Effect.sleep(retryAfter + delay)),
        Effect.flatMap(() => from(repetition + 1, open))
      )
    })

  return from(0, undefined)
}
