import * as Effect from "effect/Effect"
import type { ClientError } from "../ClientErrors.ts"
import type { ClientSettings } from "../ClientOptions.ts"
import { errorOf, unexpectedResponse } from "../errorOf.ts"
import { type Failure, failed } from "../Failure.ts"
import type { EncodedRequest } from "../requestEncoder.ts"
import { fetchResponse } from "../sendRequest.ts"

/** The pieces of the body of a response, and how to give it up. */
export interface Connection {
  /** The next piece; undefined at the end. */
  readonly next: Effect.Effect<Uint8Array | undefined, unknown>
  readonly close: () => void
  /** Fails because the body has something that no petstore sends. */
  readonly unexpected: (content: string) => Effect.Effect<never, Failure>
}

const eventStream = /^text\/event-stream[ \t]*(?:;|$)/i

/** Requests a stream. Succeeds when its headers have arrived. */
export const connectStream = (request: EncodedRequest, settings: ClientSettings): Effect.Effect<Connection, Failure> =>
  Effect.suspend(() => {
    const abort = new AbortController()
    const connect: Effect.Effect<Response, ClientError> = fetchResponse(request, settings, abort.signal)
    return connect.pipe(
      Effect.matchEffect({
        onFailure: (error) => failed(error),
        onSuccess: (response) => accept(request, response, abort)
      }),
      Effect.onError(() => Effect.sync(() => abort.abort()))
    )
  })

const accept = (
  request: EncodedRequest,
  response: Response,
  abort: AbortController
): Effect.Effect<Connection, Failure> => {
  const { body, headers, status } = response
  const type = headers.get("content-type") ?? "no Content-Type"
  if (status === 200 && body !== null && eventStream.test(type)) {
    const reader = body.getReader()
    return Effect.succeed({
      next: Effect.tryPromise({ try: async () => (await reader.read()).value, catch: (error) => error }),
      close: () => {
        reader.cancel().catch(() => {})
        abort.abort()
      },
      unexpected: (content) => failed(unexpectedResponse(request, { status, headers, text: "" }, content))
    })
  }
  if (status === 200) return failed(unexpectedResponse(request, { status, headers, text: "" }, type))
  return Effect.flatMap(
    Effect.promise(() => response.text().catch(() => "")),
    (text) => failed(errorOf(request, { status, headers, text }), headers)
  )
}
