import { valuesOf } from "@petstore/core/domain"
import type { Runtime } from "@petstore/core/runtime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { serveMetrics } from "./metrics/metricsServer.ts"
import { checkServeOptions, type ServeOptions, serveOptions } from "./options.ts"
import { RequestHandler } from "./RequestHandler.ts"
import { Connections } from "./transport/Connections.ts"
import { type ListenError, listen, makeNodeServer, type PetstoreServer, stop } from "./transport/nodeServer.ts"

/** How long clients may take to read the last responses, in milliseconds. */
const lingeringMillis = 1_000

/**
 * Serves the REST API of a petstore until the scope closes. Requests that have begun by then are finished within
 * `drainTimeout`; new ones are rejected.
 */
export const serve = (options: ServeOptions = {}): Effect.Effect<PetstoreServer, ListenError, Runtime | Scope.Scope> =>
  Effect.gen(function* () {
    checkServeOptions(options)
    const { connectionLimit, host, idleGrace, metrics, mountPath, port } = valuesOf(serveOptions, options)
    const quiet = Duration.toMillis(idleGrace)
    const runtime = yield* Effect.context<Runtime>()
    const { metricsServer } = options
    const handler = new RequestHandler(runtime, options, metricsServer === undefined ? undefined : true)
    const connections = new Connections(connectionLimit)
    const server = makeNodeServer(handler, connections, connectionLimit)
    const drain = Effect.andThen(
      handler.close,
      Effect.sync(() => setTimeout(() => server.closeAllConnections(), quiet + lingeringMillis).unref())
    )
    const apart = metricsServer === undefined ? undefined : yield* serveMetrics(runtime, handler, metricsServer)
    const listening = yield* Effect.acquireRelease(listen(server, host, port), () =>
      Effect.all([drain, stop(server, connections, quiet)], { concurrency: "unbounded", discard: true })
    )
    const origin = apart?.url ?? (metrics ? listening.url + mountPath : undefined)
    return origin === undefined ? listening : { ...listening, metricsUrl: `${origin}/metrics` }
  })
