import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { Standing } from "../Incoming.ts"
import type { ResponsePace } from "../limits/ResponsePace.ts"

/** How long a client may go on sending after the last response, in milliseconds. */
const lingering = 1_000
/** How many delayed responses one client may wait for; with more, its connection is cut. */
const delayedLimit = 64
/** How often a connection is sent a response to a health check without delay, in milliseconds. */
const probeInterval = 1_000

/** What a connection reports about itself. */
export interface ConnectionObserver {
  /** A request on it has shown valid credentials for the first time. */
  readonly trusted: (connection: Connection) => void
}

/** One connection of a server. */
export class Connection {
  readonly socket: Duplex
  /** The last request that came on it; responses are sent in the order of their requests. */
  private latest: ServerResponse | undefined
  private takes = true
  private ended = false
  private trusted = false
  private delayed = 0
  /** Whether a response on it has counted against what clients without valid credentials may cost. */
  private wasPaced = false
  private probedAt = Number.NEGATIVE_INFINITY
  /** The bytes that had come when it was last looked at, and since when there are no more. */
  private bytesSeen: number | undefined = -1
  private quietSince = 0
  private readonly paced: ResponsePace
  private readonly observer: ConnectionObserver

  constructor(socket: Duplex, paced: ResponsePace, observer: ConnectionObserver) {
    this.socket = socket
    this.paced = paced
    this.observer = observer
  }

  /** Notes a request; false if no more are taken, since the client was told so. */
  begin(response: ServerResponse): boolean {
    if (!this.takes) return false
    this.latest = response
    return true
  }

  /** The last request that came, unless its response is sent. */
  get pending(): ServerResponse | undefined {
    return this.isIdle ? undefined : this.latest
  }

  /** The last request that came. */
  get lastRequest(): IncomingMessage | undefined {
    return this.latest?.req
  }

  /** Whether every request that came is answered, and the responses are sent. */
  get isIdle(): boolean {
    return this.latest === undefined || this.latest.writableFinished || this.latest.destroyed
  }

  /** Whether closing it takes nothing from a client that has shown valid credentials. */
  get isExpendable(): boolean {
    return !this.trusted && (this.isIdle || this.delayed > 0)
  }

  /** Whether a health check on it would be answered without delay. */
  get mayProbe(): boolean {
    return this.isIdle && performance.now() - this.probedAt >= probeInterval
  }

  isLatest(response: ServerResponse): boolean {
    return this.latest === response
  }

  /** Whether requests on it are still taken. */
  get isOpen(): boolean {
    return this.takes
  }

  /** Ignores all further requests: the client is told that this was the last. */
  takeNoMore(): void {
    this.takes = false
  }

  /** Notes that a request has shown valid credentials. */
  trust(): void {
    if (this.trusted) return
    this.trusted = true
    this.observer.trusted(this)
  }

  /** Sends a response to a client without valid credentials, under load later. `last`: it is the last one. */
  pace(standing: Standing, bytes: number, send: (last: boolean) => void): void {
    const now = performance.now()
    if (standing === "probe" && now - this.probedAt >= probeInterval) {
      this.probedAt = now
      send(false)
      return
    }
    // Who asks on without waiting for responses would fill the memory.
    if (this.delayed === delayedLimit) {
      this.socket.destroy()
      return
    }
    this.delayed++
    const isFirst = !this.wasPaced
    this.wasPaced = true
    const response = (last: boolean): void => {
      this.delayed--
      send(last)
    }
    this.paced.send(bytes, response, isFirst)
  }

  /** Ends it if no request is under way and nothing has come for so many milliseconds. */
  endIfQuiet(quiet: number, now: number): void {
    const { bytesRead, isIdle } = this
    if (bytesRead !== this.bytesSeen || !isIdle) {
      this.bytesSeen = bytesRead
      this.quietSince = now
    }
    if (isIdle && !this.isBeginning && now - this.quietSince >= quiet) this.end()
  }

  /** Whether nothing at all has come on it. */
  get isUnused(): boolean {
    return this.bytesRead === 0
  }

  /** The bytes that have come on it, if that is known. */
  private get bytesRead(): number | undefined {
    return "bytesRead" in this.socket ? Number(this.socket.bytesRead) : undefined
  }

  /** Whether the headers of its first request have come in part. */
  private get isBeginning(): boolean {
    return this.latest === undefined && !this.isUnused
  }

  /**
   * Says that no more is sent, after this text if any, and reads on for a while: closing while the client still sends would
   * reset the connection, and the client could lose the response that it has not read yet.
   */
  end(text = ""): void {
    this.takes = false
    if (this.ended) return
    this.ended = true
    const { socket } = this
    socket.on("error", () => {})
    socket.end(text, () => setTimeout(() => socket.destroy(), lingering).unref())
  }
}
