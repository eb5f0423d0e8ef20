import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import { MalformedRequest } from "@petstore/core/domain"
import type { Engine } from "@petstore/core/services"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { durationOption } from "../durationOption.ts"
import { checkServeOptions } from "./checkOptions.ts"
import { Host } from "./Host.ts"
import { TimeSlices } from "./limits/TimeSlices.ts"
import { handleNode } from "./makeHandler.ts"
import type { HandlerOptions } from "./Options.ts"
import { ConnectionFaults } from "./transport/ConnectionFaults.ts"
import { Connections } from "./transport/Connections.ts"
import { isHostHeader } from "./transport/hostHeader.ts"
import { NodeIncoming } from "./transport/NodeIncoming.ts"

/** Where and how to serve. */
export interface ServeOptions extends HandlerOptions {
  /** The address to listen on; 127.0.0.1 if absent. */
  readonly host?: string
  /** 8080 if absent; 0 for any that is free. */
  readonly port?: number
  /**
   * How many connections may be open; 4,096 if absent. Beyond it, a new one takes the place of one that has not shown valid
   * credentials, or is closed.
   */
  readonly connectionLimit?: number
  /**
   * How long connections stay open without a request while the server stops, so that a request that is on its way gets a
   * response; 500 milliseconds if absent.
   */
  readonly idleGrace?: Duration.Input
}

/** A server that listens. */
export interface PetstoreServer {
  readonly host: string
  readonly port: number
  /** Of the server, without the base path. */
  readonly url: string
}

/** Nothing can be served at that address. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  readonly cause: NodeJS.ErrnoException
}> {
  override get message(): string {
    return `Cannot listen on ${this.host}:${this.port}: ${this.cause.code ?? this.cause.message}`
  }
}

/** How long a client may take to send a request, in milliseconds. */
const receiveTimeout = 30_000
/** How long a connection may be idle, in milliseconds: longer than the 60 seconds that load balancers wait. */
const idleTimeout = 65_000
/** How often clients that take longer are looked for, in milliseconds. */
const checkInterval = 2_000
/** How long clients may take to read the last answers, in milliseconds. */
const lingering = 1_000
/** How often connections that have become idle are closed while the server ends, in milliseconds. */
const closeInterval = 25
/** How long new connections may keep a server that stops from closing its address, in milliseconds. */
const acceptTimeout = 1_000
/** After how many turns of the event loop without a new connection none is waiting. */
const acceptTurns = 3
/** Connections over the limit that the system may hand over until some of the others are closed. */
const surplus = 64
/**
 * How many connections may wait to be accepted, if the system allows as many. The system drops the first packet of any further one,
 * whose client then waits for a second or more before it sends it again.
 */
const backlog = 4_096

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** Why a request is none that this server takes; undefined if it is. */
const malformation = ({ headers, httpVersionMajor, httpVersionMinor }: IncomingMessage): string | undefined => {
  const { host, "transfer-encoding": coding } = headers
  if (httpVersionMajor !== 1) return "This server speaks HTTP/1.1 and HTTP/1.0."
  if (host === undefined) return httpVersionMinor === 0 ? undefined : "A request needs a Host header."
  if (host.includes(",")) return "A request has one Host header only."
  if (!isHostHeader(host)) return "The Host header is no host with an optional port."
  // Where such a body ends cannot be told (RFC 9112, section 6.3).
  return coding === undefined || /(?:^|[\s,])chunked$/i.test(coding)
    ? undefined
    : "The last transfer coding of a request must be chunked."
}

const makeServer = (host: Host, connections: Connections, connectionLimit: number): NodeServer => {
  const server = createServer({
    // Node's own answers to these have no body.
    requireHostHeader: false,
    // Node drops the second of some in silence, though what stands in front may have gone by that one.
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
    keepAliveTimeout: idleTimeout,
    headersTimeout: receiveTimeout,
    requestTimeout: receiveTimeout,
    connectionsCheckingInterval: checkInterval
  })
  server.maxConnections = connectionLimit + surplus
  const faults = new ConnectionFaults(host, connections, idleTimeout - receiveTimeout)
  const slices = new TimeSlices(
    () => connections.count,
    () => host.isBusy
  )
  const take =
    (awaitsContinue: boolean, unmetExpectation?: string) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const connection = connections.of(request.socket)
      const isUrgent = host.isProbe(request.url) && connection.mayProbe
      if (!connection.begin(response)) {
        request.resume()
        return
      }
      const message = malformation(request) ?? unmetExpectation
      if (message !== undefined) connection.takeNoMore()
      const handle = (): void => {
        // The client may have gone, or have sent what is no request, while this waited.
        if (response.destroyed || response.headersSent) return
        if (message === undefined) {
          handleNode(host, request, response, awaitsContinue, connection)
        } else {
          const incoming = new NodeIncoming(request, response, awaitsContinue, connection)
          host.reject(incoming, new MalformedRequest({}, { message }))
        }
      }
      if (isUrgent) handle()
      else slices.run(handle)
    }
  server
    .on("connection", connections.open)
    .on("request", take(false))
    .on("checkContinue", take(true))
    .on("checkExpectation", take(true, "The only expectation that can be met is 100-continue."))
    .on("clientError", faults.onError)
    .on("connect", faults.onConnect)
  return server
}

const listen = (server: NodeServer, host: string, port: number): Effect.Effect<PetstoreServer, ListenError> =>
  Effect.callback((resume) => {
    const failed = (cause: NodeJS.ErrnoException): void => resume(Effect.fail(new ListenError({ host, port, cause })))
    server.once("error", failed)
    server.listen({ port, host, backlog }, () => {
      server.off("error", failed)
      const address = server.address()
      const bound = typeof address === "object" && address !== null ? address.port : port
      resume(Effect.succeed({ host, port: bound, url: `http://${bracketed(host)}:${bound}` }))
    })
  })

/**
 * Stops listening once no connection waits to be accepted: the system would reset it, whatever its client has sent. Node
 * accepts one in each turn of its event loop.
 */
const stopListening = (server: NodeServer, connections: Connections, closed: () => void): void => {
  const deadline = performance.now() + acceptTimeout
  const afterTurn = (quietTurns: number, count: number): void => {
    const quiet = connections.count === count ? quietTurns + 1 : 0
    if (quiet < acceptTurns && performance.now() < deadline) {
      setImmediate(afterTurn, quiet, connections.count)
      return
    }
    // That of node:http would cut idle connections at once.
    NetServer.prototype.close.call(server, closed)
  }
  setImmediate(afterTurn, 0, connections.count)
}

/** Stops listening, and completes when the last connection is closed; connections close as soon as they are quiet. */
const stop = (server: NodeServer, connections: Connections, quiet: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setInterval(() => connections.endQuiet(quiet), closeInterval)
    connections.sendDelayed()
    connections.endQuiet(quiet)
    stopListening(server, connections, () => {
      clearInterval(timer)
      // Stops the search for clients that take too long.
      server.close()
      resume(Effect.void)
    })
  })

/**
 * Serves the REST API of an engine until the scope closes. Requests that have begun are finished then, for as long as
 * `drainTimeout` says; new ones are refused.
 */
export const serve = (options: ServeOptions = {}): Effect.Effect<PetstoreServer, ListenError, Engine | Scope.Scope> =>
  Effect.gen(function* () {
    checkServeOptions(options)
    const { connectionLimit = 4_096, host: address = "127.0.0.1", idleGrace = "500 millis", port = 8080 } = options
    const quiet = Duration.toMillis(durationOption("idleGrace", idleGrace))
    const host = new Host(yield* Effect.context<Engine>(), options)
    const connections = new Connections(connectionLimit)
    const server = makeServer(host, connections, connectionLimit)
    const drain = Effect.andThen(
      host.close,
      Effect.sync(() => setTimeout(() => server.closeAllConnections(), quiet + lingering).unref())
    )
    return yield* Effect.acquireRelease(listen(server, address, port), () =>
      Effect.all([drain, stop(server, connections, quiet)], { concurrency: "unbounded", discard: true })
    )
  })
