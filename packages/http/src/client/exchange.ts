import { InvalidApiKey } from "@petstore/core/domain"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ConnectionLost, NoAnswerInTime } from "./ClientErrors.ts"
import type { ClientSettings } from "./ClientOptions.ts"
import type { RawAnswer } from "./RawAnswer.ts"
import type { EncodedRequest } from "./requestEncoder.ts"

/** What a connection that was never made is called where `fetch` tells; it does so in Node.js, not in browsers. */
const neverMade: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

const wasMade = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined
  return !(typeof cause === "object" && cause !== null && "code" in cause && neverMade.has(cause.code))
}

/** The credentials of the Bearer form (RFC 6750): one token of the token68 alphabet. */
const token = /^[\w.~+/-]+=*$/

// The rejection of a function that gives no key is its own to explain.
const keyOf = ({ key }: ClientSettings): Effect.Effect<string, InvalidApiKey> =>
  Effect.flatMap(
    Effect.promise(async () => key()),
    (given) => {
      const text = Redacted.isRedacted(given) ? Redacted.value(given) : given
      // Refused here, because errors about impossible headers repeat them.
      return typeof text === "string" && token.test(text) ? Effect.succeed(text) : Effect.fail(new InvalidApiKey({}))
    }
  )

/** Sends a request and takes the whole answer, whatever it is. */
export const exchange = (
  request: EncodedRequest,
  settings: ClientSettings
): Effect.Effect<RawAnswer, InvalidApiKey | ConnectionLost | NoAnswerInTime> => {
  const { body, headers, method, path } = request
  const changes = method !== "GET"
  const send = (key: string) =>
    Effect.tryPromise({
      try: async (signal): Promise<RawAnswer> => {
        const response = await settings.fetch(settings.baseUrl + path, {
          method,
          headers: { ...headers, Authorization: `Bearer ${key}` },
          signal,
          // A petstore redirects nobody, and whoever does is not to get the request.
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
        Effect.fail(new NoAnswerInTime({ seconds: Duration.toSeconds(settings.timeout), mayBeDone: changes }))
    })
  )
}
