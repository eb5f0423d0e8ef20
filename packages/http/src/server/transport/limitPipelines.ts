import type { Buffer } from "node:buffer"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type Line, type Task, TimeSlicedQueue } from "../limits/TimeSlicedQueue.ts"

const endOfHeaders = "\r\n\r\n"
/** How many bytes of a body are parsed at once, at least: a body may be full of ends of headers. */
const bodySliceBytes = 1_024
/** How many bytes of what has arrived are read in a turn, at most. */
const sliceBytes = 1_024
/** Where node:http says of each request that it has been parsed. */
const received = "http.server.request.start"

/** A connection whose next request is parsed when the response to the one before has been sent. */
class OneByOne implements Line {
  readonly tasks: Array<Task> = []
  readonly isTrusted = false
  private readonly socket: Socket
  private readonly queue: TimeSlicedQueue
  /** The responses that are awaited, in the order of their requests. */
  private readonly unsent = new Set<ServerResponse>()
  private latest: ServerResponse | undefined
  private isHeld = false
  private isTurn = false

  constructor(socket: Socket, queue: TimeSlicedQueue) {
    this.socket = socket
    this.queue = queue
    const [parse] = socket.listeners("data")
    const [drain] = socket.listeners("drain")
    if (parse === undefined || drain === undefined) return
    const onData = (chunk: Buffer): void => {
      let at = 0
      while (at < chunk.length) {
        if (this.isWaiting) this.hold()
        // node:http pauses it too, and is then the one that resumes it.
        if (socket.isPaused() && !this.isTurn) {
          socket.unshift(chunk.subarray(at))
          return
        }
        this.isTurn = false
        const end = chunk.indexOf(endOfHeaders, this.latest === undefined ? at : at + bodySliceBytes)
        const next = end === -1 ? chunk.length : end + endOfHeaders.length
        Reflect.apply(parse, socket, [chunk.subarray(at, next)])
        at = next
        // An upgraded socket belongs to the app: node:http has removed its listeners.
        if (!socket.listeners("drain").includes(drain)) {
          socket.off("data", onData)
          if (at < chunk.length) socket.unshift(chunk.subarray(at))
          return
        }
      }
    }
    socket.removeAllListeners("data")
    // With a listener, node:http no longer reads the socket on its own.
    socket.on("data", onData)
  }

  begin(response: ServerResponse): void {
    this.latest = response
    this.unsent.add(response)
    response.once("close", () => {
      this.unsent.delete(response)
      if (this.latest === response) this.latest = undefined
      if (this.isHeld && !this.isWaiting) this.queue.run(this.takeTurn, this)
    })
  }

  /**
   * Whether what follows waits. The rest of a request whose response is sent early does not, unlike that of one which stood in a slice with
   * the end of another.
   */
  private get isWaiting(): boolean {
    return this.unsent.size > 1 || this.latest?.req.complete === true
  }

  private hold(): void {
    this.socket.pause()
    this.isHeld = true
  }

  private readonly takeTurn = (): void => {
    const { socket } = this
    if (this.isWaiting) return
    // Emits `data`, whose listener parses the next request and puts the rest back.
    this.isTurn = true
    socket.read(Math.min(socket.readableLength, sliceBytes))
    this.isTurn = false
    if (this.isWaiting) return
    this.isHeld = false
    socket.resume()
  }
}

/**
 * Lets a server of your app parse one request of a connection at a time, and the next when the response has been sent. By itself, node:http
 * parses all that has arrived: a few clients that send thousands of requests at once delay all others by seconds. Call it before the
 * server listens. Not for servers of `node:http2`.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { limitPipelines } from "@petstore/http"
 *
 * const server = createServer((request, response) => response.end("Hello"))
 * limitPipelines(server)
 * server.listen(0)
 * server.close()
 * ```
 */
export const limitPipelines = (server: Server): void => {
  const connections = new WeakMap<Socket, OneByOne>()
  let accepted = 0
  const queue = new TimeSlicedQueue(
    () => accepted,
    () => false
  )
  // Not an event of the server, such as `request`: node:http rejects some requests by itself.
  const begin = (message: unknown): void => {
    const { response, socket } = message as { readonly response: ServerResponse; readonly socket: Socket }
    connections.get(socket)?.begin(response)
  }
  server.on("setSecureContext" in server ? "secureConnection" : "connection", (socket: Socket) => {
    if (accepted++ === 0) subscribe(received, begin)
    connections.set(socket, new OneByOne(socket, queue))
  })
  server.on("close", () => {
    accepted = 0
    unsubscribe(received, begin)
  })
}
