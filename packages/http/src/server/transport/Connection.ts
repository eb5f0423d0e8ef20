import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { ClientKind } from "../HttpRequest.ts"
import type { ResponseThrottle } from "../limits/ResponseThrottle.ts"
import type { Line, Task } from "../limits/TimeSlicedQueue.ts"

/** How long a client may keep sending after the last response, in milliseconds. */
const lingeringMillis = 1_000
/** How often a health check on the same connection is responded to without delay, in milliseconds. */
const probeIntervalMillis = 1_000

/** Receives the events of a connection. */
interface ConnectionObserver {
  /** Called when a request of a connection has valid credentials for the first time. */
  readonly trusted: (connection: Connection) => void
}

const isSent = (response: ServerResponse): boolean => response.writableFinished || response.destroyed

/** One connection of a server. */
export class Connection implements Line {
  readonly socket: Duplex
  /** What is to be done for its requests. */
  readonly tasks: Array<Task> = []
  /** The response to its last request; responses are sent in the order of their requests. Undefined if it was released. */
  private latest: ServerResponse | undefined
  /** Those to pipelined requests before the last one, from the first that may not have been sent. */
  private earlier: Array<ServerResponse> = []
  private hasBegun = false
  private takes = true
  private ended = false
  private trusted = false
  private delayed = 0
  /** To whom what it reads counts; undefined until a request has shown it. */
  callerId: number | string | undefined
  /** Whether that is the caller of its last request. */
  private isCallerOfLatest = false
  /** Whether a response on it has been throttled. */
  private wasThrottled = false
  private probedAt = Number.NEGATIVE_INFINITY
  /** The bytes that had come at the last check, and since when there are no more. */
  private bytesSeen: number | undefined = -1
  private quietSince = 0
  private readonly responses: ResponseThrottle
  private readonly observer: ConnectionObserver

  constructor(socket: Duplex, responses: ResponseThrottle, observer: ConnectionObserver) {
    this.socket = socket
    this.responses = responses
    this.observer = observer
  }

  /** Registers a request; returns false if no more are taken, because a response with `Connection: close` was sent. */
  begin(response: ServerResponse): boolean {
    if (!this.takes) return false
    if (this.latest !== undefined && !this.isIdle) this.earlier.push(this.latest)
    this.latest = response
    this.isCallerOfLatest = false
    this.hasBegun = true
    return true
  }

  /**
   * Forgets a response that has been sent, and its request if that has arrived: until the next request they would be kept, with all
   * that they refer to.
   */
  release(response: ServerResponse): void {
    if (this.latest === response && this.isIdle && response.req.complete) this.latest = undefined
  }

  /** The response to its last request, unless it has been sent. */
  get pending(): ServerResponse | undefined {
    return this.isIdle ? undefined : this.latest
  }

  /** Its last request; undefined if it was released. */
  get lastRequest(): IncomingMessage | undefined {
    return this.latest?.req
  }

  /** Whether the responses to all its requests have been sent. */
  get isIdle(): boolean {
    return this.latest === undefined || isSent(this.latest)
  }

  /** How many responses to its requests have not been sent. */
  get unsent(): number {
    if (this.earlier.length > 0) {
      const first = this.earlier.findIndex((response) => !isSent(response))
      this.earlier = first === -1 ? [] : this.earlier.slice(first)
    }
    return this.earlier.length + (this.isIdle ? 0 : 1)
  }

  /** The next response that is sent. */
  get firstUnsent(): ServerResponse | undefined {
    return this.earlier[0] ?? this.latest
  }

  /** Whether no request waits for what else arrives. */
  get mayPause(): boolean {
    return this.latest?.req.complete !== false
  }

  /** Counts what it reads to the caller of a request. */
  countTo(callerId: number | string, response: ServerResponse): void {
    this.callerId = callerId
    this.isCallerOfLatest = this.latest === response
  }

  /** The caller of whose body it reads the rest. A connection of a proxy has requests of others behind it. */
  get callerOfBody(): number | string | undefined {
    return this.isCallerOfLatest && !this.mayPause ? this.callerId : undefined
  }

  /** Whether nothing that arrives on it matters any more. */
  get isDeaf(): boolean {
    return this.ended || (!this.takes && this.mayPause)
  }

  /** Whether its client has shown valid credentials. */
  get isTrusted(): boolean {
    return this.trusted
  }

  /** Whether closing it harms no client that has shown valid credentials. */
  get isExpendable(): boolean {
    return !this.trusted && (!this.hasWork || this.delayed > 0)
  }

  /** Whether a health check on it would get its response without delay. */
  get mayProbe(): boolean {
    return this.isIdle && performance.now() - this.probedAt >= probeIntervalMillis
  }

  /** Whether a response is to the last request that has arrived. */
  isLatest(response: ServerResponse): boolean {
    return this.latest === response && (!this.takes || this.socket.readableLength === 0)
  }

  /** Whether requests on it are still taken. */
  get isOpen(): boolean {
    return this.takes
  }

  /** Ignores all further requests; the response to the last one has `Connection: close`. */
  takeNoMore(): void {
    this.takes = false
  }

  /** Takes no request behind that of a response, and drops those that have been taken. */
  closeAfter(response: ServerResponse): void {
    this.takes = false
    const unsent = [...this.earlier, ...(this.latest === undefined ? [] : [this.latest])]
    const index = unsent.indexOf(response)
    if (index === -1) return
    this.earlier = unsent.slice(0, index)
    this.latest = response
    for (const later of unsent.slice(index + 1)) later.destroy()
  }

  /** Marks it as one whose client has valid credentials. */
  trust(): void {
    if (this.trusted) return
    this.trusted = true
    this.observer.trusted(this)
  }

  /** Sends a response of a number of bytes to a client without valid credentials, later under load. */
  throttle(client: ClientKind, bytes: number, send: (last: boolean) => void): void {
    const now = performance.now()
    if (client === "probe" && now - this.probedAt >= probeIntervalMillis) {
      this.probedAt = now
      send(false)
      return
    }
    this.delayed++
    const isFirst = !this.wasThrottled
    this.wasThrottled = true
    const sendDelayed = (last: boolean): void => {
      this.delayed--
      send(last)
    }
    this.responses.send(bytes, sendDelayed, isFirst)
  }

  /** Closes it if it has no pending request and nothing has come for `quiet` milliseconds. */
  endIfQuiet(quiet: number, now: number): void {
    const { bytesRead, hasWork } = this
    if (bytesRead !== this.bytesSeen || hasWork) {
      this.bytesSeen = bytesRead
      this.quietSince = now
    }
    if (!hasWork && !this.isBeginning && now - this.quietSince >= quiet) this.end()
  }

  /** Whether a request on it has no response, or what has arrived waits for its turn. */
  private get hasWork(): boolean {
    return !this.isIdle || this.tasks.length > 0
  }

  /** Whether no byte has come on it. */
  get isUnused(): boolean {
    return this.bytesRead === 0
  }

  /** The number of bytes that have come on it, if it is known. */
  private get bytesRead(): number | undefined {
    return "bytesRead" in this.socket ? Number(this.socket.bytesRead) : undefined
  }

  /** Whether the headers of its first request have come in part. */
  private get isBeginning(): boolean {
    return !this.hasBegun && !this.isUnused
  }

  /**
   * Closes it after a last text, but continues to read for a moment: closing while the client still sends would reset the
   * connection, and the client could lose a response that it has not read yet.
   */
  end(text = ""): void {
    this.takes = false
    if (this.ended) return
    this.ended = true
    const { socket } = this
    socket.on("error", () => {})
    if (socket.isPaused()) socket.resume()
    socket.end(text, () => setTimeout(() => socket.destroy(), lingeringMillis).unref())
  }
}
