import { InvalidApiKey, shown } from "@petstore/core/domain"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { ConnectionLost, ResponseTimeout } from "./ClientErrors.ts"
import type { ClientSettings } from "./ClientOptions.ts"
import type { RawResponse } from "./RawResponse.ts"
import type { EncodedRequest } from "./requestEncoder.ts"

/** The codes of connections that were never made. `fetch` reports them in Node.js, not in browsers. */
const neverMade: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

const wasMade = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined
  return !(typeof cause === "object" && cause !== null && "code" in cause && neverMade.has(cause.code))
}

/** The credentials of the Bearer form (RFC 6750): one token of the token68 alphabet. */
const token = /^[\w.~+/-]+=*$/

const checkKey = (given: unknown): Effect.Effect<string, InvalidApiKey> => {
  const text = Redacted.isRedacted(given) ? Redacted.value(given) : given
  // Rejected here, because errors about impossible headers repeat them.
  if (typeof text === "string" && token.test(text)) return Effect.succeed(text)
  const what = typeof text === "string" ? "a string that is none" : shown(text)
  const message = `The option key takes an API key, and its value is ${what}. Nothing was sent.`
  return Effect.fail(new InvalidApiKey({}, { message }))
}

// If the function that returns the key throws or rejects, the call rejects with its error.
const keyOf = ({ key }: ClientSettings): Effect.Effect<string | undefined, InvalidApiKey> =>
  Effect.suspend(() => {
    if (key === undefined) return Effect.succeed(undefined)
    const given = key()
    if (typeof given === "string" || Redacted.isRedacted(given)) return checkKey(given)
    return Effect.flatMap(
      Effect.promise(async () => given),
      checkKey
    )
  })

const send = (
  request: EncodedRequest,
  settings: ClientSettings,
  key: string | undefined,
  signal: AbortSignal
): Promise<Response> => {
  const { body, headers, method, path } = request
  return settings.fetch(settings.baseUrl + path, {
    method,
    headers: key === undefined ? headers : { ...headers, Authorization: `Bearer ${key}` },
    signal,
    // A petstore never redirects, and another server must not receive the request.
    redirect: "manual",
    ...(settings.credentials === undefined ? {} : { credentials: settings.credentials }),
    ...(body === undefined ? {} : { body })
  })
}

type SendError = InvalidApiKey | ConnectionLost | ResponseTimeout

/** Receives a part of a response, or all of it, within the `timeout` of the client. */
const within = <A>(
  request: EncodedRequest,
  settings: ClientSettings,
  receive: (key: string | undefined, signal: AbortSignal) => Promise<A>
): Effect.Effect<A, SendError> => {
  const address = settings.baseUrl
  const changes = request.method !== "GET"
  const onRejection = (cause: unknown) =>
    Effect.suspend(() => Effect.fail(new ConnectionLost({ address, mayBeDone: changes && wasMade(cause) }, { cause })))
  const onTimeout = Effect.suspend(() =>
    Effect.fail(new ResponseTimeout({ address, mayBeDone: changes, seconds: Duration.toSeconds(settings.timeout) }))
  )
  return Effect.flatMap(keyOf(settings), (key) =>
    withTimeout(Effect.sleep(settings.timeout), onTimeout, (signal) =>
      receive(key, signal).then(Effect.succeed, onRejection)
    )
  )
}

/** Waits for a promise until a timer ends. A race would fork two fibers, which costs a short request noticeably. */
const withTimeout = <A, E1, E2>(
  timer: Effect.Effect<void>,
  onTimeout: Effect.Effect<A, E1>,
  start: (signal: AbortSignal) => Promise<Effect.Effect<A, E2>>
): Effect.Effect<A, E1 | E2> =>
  Effect.withFiber(({ context }) =>
    Effect.callback((resume) => {
      const controller = new AbortController()
      const timerFiber = Effect.runForkWith(context)(timer)
      timerFiber.addObserver((exit) => {
        if (Exit.hasInterrupts(exit)) return
        controller.abort()
        resume(Effect.andThen(exit, onTimeout))
      })
      start(controller.signal).then((outcome) => {
        timerFiber.interruptUnsafe()
        resume(outcome)
      })
      return Effect.sync(() => {
        timerFiber.interruptUnsafe()
        controller.abort()
      })
    })
  )

/** Sends a request and receives the whole response. */
export const sendRequest = (request: EncodedRequest, settings: ClientSettings): Effect.Effect<RawResponse, SendError> =>
  within(request, settings, async (key, signal) => {
    const response = await send(request, settings, key, signal)
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** Sends a request and receives the headers of the response. `signal` ends its body. */
export const fetchResponse = (
  request: EncodedRequest,
  settings: ClientSettings,
  signal: AbortSignal
): Effect.Effect<Response, SendError> => within(request, settings, async (key) => send(request, settings, key, signal))
