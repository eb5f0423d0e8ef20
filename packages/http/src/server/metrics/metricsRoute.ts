import { type Runtime, Stats } from "@petstore/core/runtime"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Route } from "../routes/Route.ts"

/** The media type of the Prometheus text format. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8"

/** The metrics of a petstore and of its program, in the Prometheus text format. */
export const metricsText = (runtime: Context.Context<Runtime>): Effect.Effect<string> =>
  Effect.gen(function* () {
    // So that the metrics of the store are those of now. If it cannot be read, the others still tell what happens.
    yield* Effect.ignore(Context.get(runtime, Stats).read)
    // Loaded at the first request: most servers serve no metrics.
    const { formatUnsafe } = yield* Effect.promise(() => import("effect/observability/PrometheusMetrics"))
    return formatUnsafe(runtime)
  })

/** Serves the metrics. */
export const metricsRoute = (runtime: Context.Context<Runtime>): Route => ({
  name: "metrics",
  kind: "probe",
  successes: [200],
  run: ({ headers }) =>
    Effect.map(metricsText(runtime), (body) => {
      headers.push("Content-Type", metricsType, "Cache-Control", "no-store", "X-Content-Type-Options", "nosniff")
      return { status: 200, headers, body }
    })
})
