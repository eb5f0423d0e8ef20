import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"

/** What an error shows of its cause: a code such as ECONNREFUSED, since texts may contain a URL. */
const reasonOf = ({ reason }: HttpClientError.HttpClientError): string => {
  let cause: unknown = "cause" in reason ? reason.cause : undefined
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    if ("code" in cause && typeof cause.code === "string") return cause.code
    cause = cause.cause
  }
  return "no response"
}

/**
 * The HTTP client of the exporter, which logs nothing itself: warns once if the collector does not take what it is sent, and
 * reports once that it does again. The path of the URL and the headers may contain keys, so the log has neither.
 */
export const collectorClient = (endpoint: string) => {
  const { origin } = new URL(endpoint)
  let isFailing = false
  const failed = (why: string) =>
    Effect.suspend(() => {
      if (isFailing) return Effect.void
      isFailing = true
      return Effect.logWarning(
        `The collector at ${origin} takes no traces and metrics: ${why}. They are dropped until it does.`
      )
    })
  const succeeded = Effect.suspend(() => {
    if (!isFailing) return Effect.void
    isFailing = false
    return Effect.logInfo(`The collector at ${origin} takes traces and metrics again`)
  })
  return Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      client.pipe(
        HttpClient.tap(({ status }) => (status < 300 ? succeeded : failed(`it responds ${status}`))),
        HttpClient.tapError((error) => failed(reasonOf(error)))
      )
    )
  ).pipe(Layer.provide(FetchHttpClient.layer))
}
