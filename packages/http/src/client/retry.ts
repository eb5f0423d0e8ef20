import { NotFound, PreconditionFailed } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { ClientError } from "./ClientErrors.ts"
import type { Failure } from "./Failure.ts"

/** The first wait, in milliseconds; each that follows is twice as long. */
const firstDelayMillis = 200

interface RetryPolicy {
  readonly retries: number
  /** In milliseconds. */
  readonly maxDelay: number
}

/** The request that is repeated. */
interface Repetition {
  readonly method: string
  /** Whether the server recognizes a repetition, and returns the stored result if an earlier attempt has succeeded. */
  readonly hasKey: boolean
  /** Whether sending the request a second time changes nothing more. */
  readonly repeatable: boolean
}

/** Statuses that are decided before the request is carried out, and so reveal nothing about an earlier attempt. */
const inconclusive: ReadonlySet<number> = new Set([401, 403, 408, 410, 429])

/**
 * Whether the error of a repetition shows that no earlier attempt was carried out. Without an idempotency key, an update replaces
 * the version that it names itself.
 */
const isConclusive = (error: ClientError, { hasKey, method }: Repetition): boolean =>
  error.status < 500 &&
  !inconclusive.has(error.status) &&
  (hasKey || method !== "PATCH" || !(error instanceof PreconditionFailed))

/** Half of the backoff is random, so that clients that failed together do not retry together. */
export const delayOf = (repetition: number, { maxDelay }: Pick<RetryPolicy, "maxDelay">): Effect.Effect<number> => {
  const backoff = Math.min(firstDelayMillis * 2 ** repetition, maxDelay)
  return Effect.map(Random.next, (chance) => backoff * (0.5 + 0.5 * chance))
}

/**
 * Repeats a request for as long as that is safe and may help. Once an attempt has an unknown outcome, its error is the
 * result, unless a later attempt succeeds or fails conclusively.
 */
export const withRetries = <A>(
  request: Effect.Effect<A, Failure>,
  repetition: Repetition,
  policy: RetryPolicy
): Effect.Effect<A | undefined, ClientError> => {
  const { method, repeatable } = repetition
  const end = (error: ClientError, unresolved: ClientError | undefined): Effect.Effect<undefined, ClientError> => {
    if (unresolved === undefined) return Effect.fail(error)
    // Ids are never reused: what is gone now was deleted by an earlier attempt, or by another client.
    if (method === "DELETE" && error instanceof NotFound) return Effect.undefined
    return Effect.fail(isConclusive(error, repetition) ? error : unresolved)
  }

  const from = (retries: number, unresolved: ClientError | undefined): Effect.Effect<A | undefined, ClientError> =>
    Effect.catch(request, ({ error, outcome, retryAfter }) => {
      const maySucceed = outcome === "not done" || (outcome === "unknown" && repeatable)
      const open = outcome === "unknown" && method !== "GET" ? error : unresolved
      if (!maySucceed || retries >= policy.retries || retryAfter > policy.maxDelay) return end(error, open)
      return delayOf(retries, policy).pipe(
        Effect.flatMap((delay) => Effect.sleep(retryAfter + delay)),
        Effect.flatMap(() => from(retries + 1, open))
      )
    })

  return from(0, undefined)
}
