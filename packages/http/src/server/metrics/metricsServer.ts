import { createServer, type ServerResponse } from "node:http"
import type { Runtime } from "@petstore/core/runtime"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TimeSlicedQueue } from "../limits/TimeSlicedQueue.ts"
import { serveOptions } from "../options.ts"
import type { RequestHandler } from "../RequestHandler.ts"
import { Connections } from "../transport/Connections.ts"
import { NodeHttpRequest } from "../transport/NodeHttpRequest.ts"
import { type ListenError, listen, type PetstoreServer } from "../transport/nodeServer.ts"
import { readInSlices } from "../transport/readInSlices.ts"
import { metricsText, metricsType } from "./metricsRoute.ts"

/** How many connections may be open. Beyond it, the oldest without a request is closed for a new one. */
const connectionLimit = 256

const respond = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, {
    "Content-Type": type,
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...(status === 405 ? { Allow: "GET, HEAD" } : {})
  })
  response.end(body)
}

/**
 * Serves the metrics of a petstore and the health checks of its handler, and nothing else, on an address of its own until the scope
 * closes. Node accepts one connection per address in each turn of the event loop, so these do not wait behind those of the API.
 */
export const serveMetrics = (
  runtime: Context.Context<Runtime>,
  handler: RequestHandler,
  { host = serveOptions.host.default, port }: { readonly host?: string; readonly port: number }
): Effect.Effect<PetstoreServer, ListenError, Scope.Scope> => {
  const connections = new Connections(connectionLimit)
  const queue = new TimeSlicedQueue(
    () => connections.count,
    () => handler.isBusy
  )
  const server = createServer((request, response) => {
    connections.of(request.socket).begin(response)
    if (handler.isProbe(request.url)) return handler.handle(new NodeHttpRequest(request, response))
    request.resume()
    const path = (request.url ?? "").split("?")[0]
    if (path !== "/metrics")
      return respond(response, 404, "text/plain", "There are only /metrics, /health/live and /health/ready here.\n")
    if (request.method !== "GET" && request.method !== "HEAD") {
      return respond(response, 405, "text/plain", "The method of /metrics is GET.\n")
    }
    Effect.runPromise(metricsText(runtime)).then(
      (text) => respond(response, 200, metricsType, text),
      () => respond(response, 500, "text/plain", "The metrics could not be read.\n")
    )
  })
  server.on("connection", (socket) => {
    const connection = connections.open(socket)
    const reading = { queue, shares: handler.shares, isCrowded: () => true, isProbe: () => false }
    if (connection !== undefined) readInSlices(socket, connection, reading)
  })
  return Effect.acquireRelease(listen(server, host, port), () =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
}
