import { catalogue, type ErrorCode } from "@petstore/core/domain"
import type { Fetch } from "@petstore/http/client"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/** A request that was sent. */
export interface Sent {
  readonly method: string
  /** After the origin. */
  readonly path: string
  readonly headers: Headers
  readonly body: unknown
  readonly signal: AbortSignal
  readonly redirect: string | undefined
  /** In milliseconds of the clock of the script; 0 if it has none. */
  readonly at: number
}

/** What becomes of a request. */
export type Reply = (sent: Sent) => Promise<Response>

/** A `fetch` with scripted responses, and the requests that it received. */
export interface Script {
  readonly fetch: Fetch
  readonly sent: ReadonlyArray<Sent>
}

/** Responds to each request with the next reply, and with the last one from then on. */
export const script = (replies: ReadonlyArray<Reply>, clock?: Clock.Clock): Script => {
  const sent: Array<Sent> = []
  return {
    sent,
    fetch: (url, { body, headers, method = "GET", redirect, signal }) => {
      const { pathname, search } = new URL(url)
      const request: Sent = {
        method,
        path: pathname + search,
        headers: new Headers(headers),
        body: typeof body === "string" ? JSON.parse(body) : undefined,
        signal: signal ?? new AbortController().signal,
        redirect,
        at: clock?.currentTimeMillisUnsafe() ?? 0
      }
      sent.push(request)
      const reply = replies[sent.length - 1] ?? replies.at(-1)
      return reply === undefined ? Promise.reject(new Error("The script is empty")) : reply(request)
    }
  }
}

/** A response with a body of this type. */
export const text =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  async () =>
    new Response(status === 204 ? null : body, { status, headers })

/** A response in JSON. */
export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply =>
  text(status, JSON.stringify(body), { "Content-Type": "application/json", ...headers })

/** A success without a body. */
export const done = text(204, "")

/** The refusal of one code. */
export const refusal = (
  code: ErrorCode,
  details: Readonly<Record<string, unknown>> = {},
  headers?: Readonly<Record<string, string>>
): Reply =>
  json(catalogue[code].status, { code, message: `It is ${code}.`, status: catalogue[code].status, details }, headers)

/** The connection breaks. */
export const broken: Reply = () =>
  Promise.reject(new TypeError("fetch failed", { cause: new Error("other side closed") }))

/** There is no connection, as `fetch` of Node.js reports it. */
export const unreachable: Reply = () =>
  Promise.reject(
    new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) })
  )

/** Nothing comes, until the request is given up. */
export const silence: Reply = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))

const nextTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Lets virtual time pass, so many milliseconds at a time, until an effect has ended. */
export const inVirtualTime = <A, E, R>(effect: Effect.Effect<A, E, R>, step = 1): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* nextTurn
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(step)
      yield* nextTurn
    }
    return yield* Fiber.join(fiber)
  })
