import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { UsageError } from "../errors.ts"
import { collectorClient } from "./collectorClient.ts"
import { type ServedAt, withConventions } from "./semanticConventions.ts"

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
