import * as Effect from "effect/Effect"

/** A definite response: the request had its one effect, or was rejected for a reason that another attempt would not change. */
export interface Definite {
  readonly status: number
  readonly body: unknown
  /** How often it was sent. */
  readonly attempts: number
  /** How long the longest attempt took, in milliseconds. */
  readonly longest: number
}

/** The time that clients give a request, in milliseconds: that of `requestTimeout` of the server. */
const clientTimeout = 30_000

const isTemporary = (status: number, body: unknown): boolean =>
  status >= 500 ||
  (status === 409 &&
    typeof body === "object" &&
    body !== null &&
    "code" in body &&
    body.code === "idempotency_in_progress")

export interface SteadyRequest {
  readonly method: string
  readonly url: string
  readonly key: string
  readonly idempotencyKey?: string
  readonly body?: unknown
}

const attempt = async ({ body, idempotencyKey, key, method, url }: SteadyRequest, signal: AbortSignal) => {
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(clientTimeout)]),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) }
  } catch (cause) {
    // A timeout means that a request hung; anything else that a server or the way to it ended.
    if (signal.aborted || (cause instanceof Error && cause.name === "TimeoutError")) throw cause
    return undefined
  }
}

/**
 * Sends a request until the response is definite, as a careful client does it: the same idempotency key each time. Dies if an
 * attempt takes longer than the server may take.
 */
export const sendSteadily = (request: SteadyRequest): Effect.Effect<Definite> =>
  Effect.promise(async (signal) => {
    let longest = 0
    for (let attempts = 1; ; attempts++) {
      const start = performance.now()
      const response = await attempt(request, signal)
      longest = Math.max(longest, performance.now() - start)
      if (response !== undefined && !isTemporary(response.status, response.body)) {
        return { ...response, attempts, longest }
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
