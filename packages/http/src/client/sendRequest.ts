import { InvalidApiKey } from "@petstore/core/domain"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
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

// If the function that returns the key rejects, the call rejects with its error.
const keyOf = ({ key }: ClientSettings): Effect.Effect<string, InvalidApiKey> =>
  Effect.flatMap(
    Effect.promise(async () => key()),
    (given) => {
      const text = Redacted.isRedacted(given) ? Redacted.value(given) : given
      // Rejected here, because errors about impossible headers repeat them.
      return typeof text === "string" && token.test(text) ? Effect.succeed(text) : Effect.fail(new InvalidApiKey({}))
    }
  )

const send = (
  request: EncodedRequest,
  settings: ClientSettings,
  key: string,
  signal: AbortSignal
): Promise<Response> => {
  const { body, headers, method, path } = request
  return settings.fetch(settings.baseUrl + path, {
    method,
    headers: { ...headers, Authorization: `Bearer ${key}` },
    signal,
    // A petstore never redirects, and another server must not receive the request.
    redirect: "manual",
    ...(body === undefined ? {} : { body })
  })
}

type SendError = InvalidApiKey | ConnectionLost | ResponseTimeout

/** Receives a part of a response, or all of it, within the `timeout` of the client. */
const within = <A>(
  request: EncodedRequest,
  settings: ClientSettings,
  receive: (key: string, signal: AbortSignal) => Promise<A>
): Effect.Effect<A, SendError> => {
  const changes = request.method !== "GET"
  return Effect.flatMap(keyOf(settings), (key) =>
    Effect.timeoutOrElse(
      Effect.tryPromise({
        try: (signal) => receive(key, signal),
        catch: (cause) => new ConnectionLost({ mayBeDone: changes && wasMade(cause) }, { cause })
      }),
      {
        duration: settings.timeout,
        orElse: () =>
          Effect.fail(new ResponseTimeout({ seconds: Duration.toSeconds(settings.timeout), mayBeDone: changes }))
      }
    )
  )
}

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
): Effect.Effect<Response, SendError> => within(request, settings, (key) => send(request, settings, key, signal))
