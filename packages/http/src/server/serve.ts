import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http"
import { MalformedRequest } from "@petstore/core/domain"
import type { Engine } from "@petstore/core/services"
import { Data, Effect, type Scope } from "effect"
import { ConnectionFaults } from "./ConnectionFaults.ts"
import { checkServeOptions } from "./checkOptions.ts"
import { Host } from "./Host.ts"
import { handleNode } from "./makeHandler.ts"
import { NodeIncoming } from "./NodeIncoming.ts"
import type { HandlerOptions } from "./Options.ts"

/** Where and how to serve. */
export interface ServeOptions extends HandlerOptions {
  /** The address to listen on; 127.0.0.1 if absent. */
  readonly host?: string
  /** 8080 if absent; 0 for any that is free. */
  readonly port?: number
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

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)

const refusing =
  (host: Host, message: string) =>
  (request: IncomingMessage, response: ServerResponse): void =>
    host.reject(new NodeIncoming(request, response), new MalformedRequest({}, { message }))

const makeServer = (host: Host): NodeServer => {
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
  const withoutHost = refusing(host, "A request needs a Host header.")
  const withHosts = refusing(host, "A request has one Host header only.")
  const faults = new ConnectionFaults(host)
  const take = (awaitsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const name = request.headers.host
    if (name === undefined && request.httpVersion === "1.1") return withoutHost(request, response)
    if (name?.includes(",")) return withHosts(request, response)
    handleNode(host, request, response, awaitsContinue)
    if (!response.writableEnded) faults.watch(response)
  }
  server
    .on("request", take(false))
    .on("checkContinue", take(true))
    .on("checkExpectation", refusing(host, "The only expectation that can be met is 100-continue."))
    .on("clientError", faults.onError)
    .on("connect", faults.onConnect)
  return server
}

const listen = (server: NodeServer, host: string, port: number): Effect.Effect<PetstoreServer, ListenError> =>
  Effect.callback((resume) => {
    const failed = (cause: NodeJS.ErrnoException): void => resume(Effect.fail(new ListenError({ host, port, cause })))
    server.once("error", failed)
    server.listen(port, host, () => {
      server.off("error", failed)
      const address = server.address()
      const bound = typeof address === "object" && address !== null ? address.port : port
      resume(Effect.succeed({ host, port: bound, url: `http://${bracketed(host)}:${bound}` }))
    })
  })

/** Stops listening, and completes when the last connection is closed; connections close as soon as they are idle. */
const stop = (server: NodeServer): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setInterval(() => server.closeIdleConnections(), closeInterval)
    server.close(() => {
      clearInterval(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/**
 * Serves the REST API of an engine until the scope closes. Requests that have begun are finished then, for as long as
 * `drainTimeout` says; new ones are refused.
 */
export const serve = (options: ServeOptions = {}): Effect.Effect<PetstoreServer, ListenError, Engine | Scope.Scope> =>
  Effect.gen(function* () {
    checkServeOptions(options)
    const { host: address = "127.0.0.1", port = 8080 } = options
    const host = new Host(yield* Effect.context<Engine>(), options)
    const server = makeServer(host)
    const drain = Effect.andThen(
      host.close,
      Effect.sync(() => setTimeout(() => server.closeAllConnections(), lingering).unref())
    )
    return yield* Effect.acquireRelease(listen(server, address, port), () =>
      Effect.all([stop(server), drain], { concurrency: "unbounded", discard: true })
    )
  })
