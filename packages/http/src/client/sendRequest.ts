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

/** Sends a request and receives the whole response. */
export const sendRequest = (
  request: EncodedRequest,
  settings: ClientSettings
): Effect.Effect<RawResponse, InvalidApiKey | ConnectionLost | ResponseTimeout> => {
  const { body, headers, method, path } = request
  const changes = method !== "GET"
  const send = (key: string) =>
    Effect.tryPromise({
      try: async (signal): Promise<RawResponse> => {
        const response = await settings.fetch(settings.baseUrl + path, {
          method,
          headers: { ...headers, Authorization: `Bearer ${key}` },
          signal,
          // A petstore never redirects, and another server must not receive the request.
          redirect: "manual",
          ...(body === undefined ? {} : { body })
        })
        return { status: response.status, headers: response.headers, text: await response.text() }
      },
      catch: (cause) => new ConnectionLost({ mayBeDone: changes && wasMade(cause) }, { cause })
    })
  return Effect.flatMap(keyOf(settings), (key) =>
    Effect.timeoutOrElse(send(key), {
      duration: settings.timeout,
      orElse: () =>
        Effect.fail(new ResponseTimeout({ seconds: Duration.toSeconds(settings.timeout), mayBeDone: changes }))
    })
  )
}
