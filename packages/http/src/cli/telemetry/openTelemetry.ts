import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { UsageError } from "../errors.ts"
import { type ServedAt, withConventions } from "./semanticConventions.ts"

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
const collectorClient = (endpoint: string) => {
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

type Variables = Readonly<Record<string, string | undefined>>

/** The variables of OpenTelemetry, with what `--otlp` means where they are not set. */
const withDefaults = (endpoint: string, env: Variables): Record<string, string> => {
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[0].startsWith("OTEL_") && entry[1] !== undefined && entry[1] !== ""
  )
  const named = /(?:^|,)\s*service\.name=/.test(env.OTEL_RESOURCE_ATTRIBUTES ?? "")
  return {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    ...(named ? {} : { OTEL_SERVICE_NAME: "petstore" }),
    ...Object.fromEntries(given),
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
  }
}

const invalid = (message: string) => Layer.effectDiscard(Effect.fail(new UsageError({ message })))

/**
 * Exports traces and metrics to a collector by OTLP over HTTP, with the exporter of Effect, which reads the usual variables of
 * OpenTelemetry. `endpoint`: the URL of the collector, without the path of a signal. `served`: the server that is measured.
 */
export const openTelemetry = (endpoint: string, env: Variables, served: ServedAt) => {
  const variables = withDefaults(endpoint, env)
  const { OTEL_EXPORTER_OTLP_PROTOCOL: protocol = "http/protobuf" } = variables
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    return invalid("OTEL_EXPORTER_OTLP_PROTOCOL takes http/protobuf or http/json; other protocols are not supported")
  }
  return Otlp.layerFromConfig().pipe(
    Layer.provide(
      withConventions(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf, served)
    ),
    Layer.provide(collectorClient(endpoint)),
    Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: variables }))),
    // The cause may contain the value, and headers are secret.
    Layer.catchCause(() =>
      invalid(`A variable of OpenTelemetry has an invalid value. These are set: ${Object.keys(variables).join(", ")}`)
    )
  )
}

/** Exports what was measured so far, for at most three seconds. Without an exporter it does nothing. */
export const flush: Effect.Effect<void> = Effect.flatMap(Effect.serviceOption(OtlpExporter.Flusher), (flusher) =>
  Option.isNone(flusher) ? Effect.void : Effect.asVoid(Effect.timeoutOption(flusher.value.flush, "3 seconds"))
)
