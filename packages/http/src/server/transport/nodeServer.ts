import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import { MalformedRequest } from "@petstore/core/domain"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { TimeSlicedQueue } from "../limits/TimeSlicedQueue.ts"
import type { RequestHandler } from "../RequestHandler.ts"
import type { Connections } from "./Connections.ts"
import { endWaiting } from "./endTogether.ts"
import { NodeHttpRequest } from "./NodeHttpRequest.ts"
import { ProtocolErrors } from "./ProtocolErrors.ts"
import { type ReadingOptions, readInSlices } from "./readInSlices.ts"
import { headOf, malformation, type RequestHead } from "./requestHead.ts"

/** A server that listens. */
export interface PetstoreServer {
  /** The hostname or address that it listens on. */
  readonly host: string
  readonly port: number
  /** The origin, without the base path. */
  readonly url: string
  /** The URL of the metrics; absent if they are not served. */
  readonly metricsUrl?: string
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program is listening there",
  EADDRNOTAVAIL: "this machine does not have this address",
  ENOTFOUND: "the hostname is unknown",
  EACCES: "permission denied"
}

/** Why a server cannot listen. */
export const reasonOf = ({ code = "", message }: NodeJS.ErrnoException): string => reasons[code] ?? message

/** The server cannot listen on this address. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  readonly cause: NodeJS.ErrnoException
}> {
  override get message(): string {
    const { code } = this.cause
    return `Cannot listen on ${this.host}:${this.port}: ${code === undefined ? "" : `${code}, `}${reasonOf(this.cause)}`
  }
}

/** How long a client may take to send a request, in milliseconds. */
const receiveTimeoutMillis = 30_000
/** How long a connection may be idle, in milliseconds: longer than the 60 seconds that load balancers wait. */
const idleTimeoutMillis = 65_000
/** How often connections are checked for these timeouts, in milliseconds. */
const checkIntervalMillis = 2_000
/** How often idle connections are closed while the server stops, in milliseconds. */
const closeIntervalMillis = 25
/** How long a stopping server keeps accepting connections that wait, in milliseconds. */
const acceptTimeoutMillis = 1_000
/** After how many turns of the event loop without a new connection none is waiting. */
const acceptTurns = 3
/** How many connections over the limit node:http accepts, so that this server chooses which to close. */
const surplus = 64
/**
 * How many connections may wait to be accepted, if the system allows as many. The system drops the first packet of any further one,
 * whose client then waits for a second or more before it sends it again.
 */
const backlog = 4_096

const bracketed = (hostname: string): string => (hostname.includes(":") ? `[${hostname}]` : hostname)

const withoutHost = ({ headers: { host }, minorVersion }: RequestHead): string | undefined =>
  host === undefined && minorVersion > 0 ? "A request needs a Host header." : undefined

/** A turn is scheduled before its requests, and so before what they wait for, such as a commit. Their responses do not wait for that. */
const inNextTurn = (turn: () => void): void =>
  void setImmediate(() => {
    endWaiting()
    turn()
    endWaiting()
  })

/** Makes a server of node:http that passes requests to a handler. */
export const makeNodeServer = (handler: RequestHandler, connections: Connections, connectionLimit: number): Server => {
  const server = createServer({
    // A client may send or leave unread this much before its connection is paused.
    highWaterMark: 16_384,
    // The responses of node:http to these have no body.
    requireHostHeader: false,
    // By default node:http drops some repeated headers, though a proxy may have used the one that is dropped.
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
    keepAliveTimeout: idleTimeoutMillis,
    headersTimeout: receiveTimeoutMillis,
    requestTimeout: receiveTimeoutMillis,
    connectionsCheckingInterval: checkIntervalMillis
  })
  server.maxConnections = connectionLimit + surplus
  const errors = new ProtocolErrors(handler, connections, idleTimeoutMillis - receiveTimeoutMillis)
  const queue = new TimeSlicedQueue(
    () => connections.count,
    () => handler.isBusy,
    undefined,
    inNextTurn
  )
  handler.waiting = () => queue.size
  const reading: ReadingOptions = {
    queue,
    shares: handler.shares,
    isCrowded: () => handler.isCrowded,
    isProbe: (target) => handler.isProbe(target)
  }
  const onRequest =
    (expectsContinue: boolean, unmetExpectation?: string) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const connection = connections.of(request.socket)
      const isUrgent = handler.isProbe(request.url) && connection.mayProbe
      if (!connection.begin(response)) {
        request.resume()
        return
      }
      const head = headOf(request)
      const message = malformation(head) ?? withoutHost(head) ?? unmetExpectation
      if (message !== undefined) connection.takeNoMore()
      const handle = (arrival?: object): void => {
        // The client may have disconnected or sent malformed bytes while this was queued.
        if (request.socket.destroyed || response.destroyed || response.headersSent) return
        const received = new NodeHttpRequest(request, response, expectsContinue, connection, arrival, head)
        if (message === undefined) handler.handle(received)
        else handler.reject(received, new MalformedRequest({}, { message }))
      }
      if (isUrgent) handle()
      else queue.run(() => handle(queue.arrival), connection)
    }
  server
    .on("connection", (socket) => {
      const connection = connections.open(socket)
      if (connection !== undefined) readInSlices(socket, connection, reading)
    })
    .on("request", onRequest(false))
    .on("checkContinue", onRequest(true))
    .on("checkExpectation", onRequest(true, "The only expectation that is supported is 100-continue."))
    .on("clientError", errors.onClientError)
    .on("connect", errors.onConnect)
  return server
}

/** Starts to listen. A port of 0 means any free one. */
export const listen = (server: Server, hostname: string, port: number): Effect.Effect<PetstoreServer, ListenError> =>
  Effect.callback((resume) => {
    const onError = (cause: NodeJS.ErrnoException): void =>
      resume(Effect.fail(new ListenError({ host: hostname, port, cause })))
    server.once("error", onError)
    server.listen({ port, host: hostname, backlog }, () => {
      server.off("error", onError)
      const address = server.address()
      const bound = typeof address === "object" && address !== null ? address.port : port
      resume(Effect.succeed({ host: hostname, port: bound, url: `http://${bracketed(hostname)}:${bound}` }))
    })
  })

/**
 * Stops listening once no connection waits to be accepted: the system would reset it, whatever its client has sent. Node
 * accepts one in each turn of its event loop.
 */
const stopListening = (server: Server, connections: Connections, onClosed: () => void): void => {
  const deadline = performance.now() + acceptTimeoutMillis
  const afterTurn = (quietTurns: number, count: number): void => {
    const quiet = connections.count === count ? quietTurns + 1 : 0
    if (quiet < acceptTurns && performance.now() < deadline) {
      setImmediate(afterTurn, quiet, connections.count)
      return
    }
    // The method of node:http would cut idle connections at once.
    NetServer.prototype.close.call(server, onClosed)
  }
  setImmediate(afterTurn, 0, connections.count)
}

/** Stops listening, and completes when all connections are closed. Each closes after `quiet` milliseconds without a request. */
export const stop = (server: Server, connections: Connections, quiet: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    // What has come while the process was held up is read first, later in the turn of the timer.
    const timer = setInterval(() => setImmediate(() => connections.endQuiet(quiet)), closeIntervalMillis)
    connections.sendDelayed()
    connections.endQuiet(quiet)
    stopListening(server, connections, () => {
      clearInterval(timer)
      // Stops the checks for timeouts.
      server.close()
      resume(Effect.void)
    })
  })
