import type { Asker } from "@petstore/core/ports"
import { type PrincipalInfo, theStore } from "@petstore/core/runtime"
import type * as Context from "effect/Context"
import type * as Tracer from "effect/Tracer"
import type { ClientKind, HttpRequest } from "./HttpRequest.ts"
import type { PendingRequest } from "./limits/PendingRequests.ts"
import type { WorkShares } from "./limits/WorkShares.ts"

/**
 * How far a request has come. From `admitted` on its transaction runs, so that it can no longer be canceled: its outcome is
 * the response.
 */
type Phase = "received" | "receivingBody" | "running" | "admitted"

/** What has to be kept of a request for a stream from before its caller is authenticated. */
export interface StreamRequest {
  /** Runs a function in the asynchronous context of the request, where the host application may keep its session. */
  readonly inContext: <A>(work: () => A) => A
  /** How many checks of all streams had been demanded. */
  readonly demands: number
}

const nothing = (): void => {}

/** A request while it is handled, what is known of its response, and who asks for what it does. */
export class RequestContext implements Asker, PendingRequest {
  readonly request: HttpRequest
  readonly requestId: string
  /** The headers of the response so far: names and values in turn. */
  readonly headers: Array<string>
  /** The operation or page, for metrics and traces; `none` if there is none for the path and method. */
  operation = "none"
  /** Undefined if it is not traced. */
  span: Tracer.Span | undefined
  /** When its handling began, as `performance.now()`; 0 if nothing is measured. */
  began = 0
  /** The path of the request, without its query. */
  path = ""
  /** Without its question mark. */
  query = ""
  /** The values of the parameters in the path. */
  pathValues: ReadonlyArray<string> = []
  phase: Phase = "received"
  client: ClientKind = "anonymous"
  /** Whose time of the event loop it takes; undefined until that is known. */
  callerId: number | string | undefined
  /** The actor of its caller; undefined until that is known. */
  actor: string | undefined
  /** While the request is handled in the turn in which it arrived: see `HttpRequest`. */
  arrival: object | undefined
  /** Undefined if it is no request for a stream of events. */
  streamRequest: StreamRequest | undefined
  /** Whether the connection closes after the response, because what follows on it cannot be trusted. */
  closesConnection = false
  isDisconnected = false
  principal: PrincipalInfo = theStore
  /** Whether it runs no command, for the owner of the store. */
  isPlain = true
  /** The services of what it does, with its span if it is traced. */
  services: Context.Context<never>
  /** Whether its handling goes on after the turn of the event loop in which it came. */
  isWaiting = false
  /** Cancels what it waits for. */
  interrupt = nothing
  deadline = 0
  before: PendingRequest | undefined
  after: PendingRequest | undefined
  private readonly shares: Pick<WorkShares, "command">
  private isExpired = false

  constructor(
    request: HttpRequest,
    requestId: string,
    runtime: Context.Context<never>,
    shares: Pick<WorkShares, "command">
  ) {
    this.shares = shares
    this.services = runtime
    this.request = request
    this.requestId = requestId
    this.headers = ["X-Request-Id", requestId]
    this.arrival = request.arrival
  }

  /** `Accept-Encoding`, if the response may be compressed here. */
  get acceptEncoding(): string | undefined {
    return this.request.canEncode ? this.request.header("accept-encoding") : undefined
  }

  /** Its transaction begins. What that takes counts to its caller. */
  onStart(): (() => void) | undefined {
    this.phase = "admitted"
    return this.callerId === undefined ? undefined : this.shares.command(this.callerId)
  }

  expire(): void {
    if (this.isExpired || this.phase === "admitted") return
    this.isExpired = true
    this.interrupt()
  }

  /** Its client has disconnected. */
  disconnect(): void {
    this.isDisconnected = true
    this.interrupt()
  }
}

/** The ids that clients may choose: short, and harmless wherever they are printed. */
const acceptable = /^[\w.:/+=@-]{1,128}$/

/** Makes request ids: the one that the client sent if it is acceptable, else a number with a prefix of this server. */
export class RequestIds {
  private readonly prefix: string
  private count = 0

  constructor(randomBytes: (length: number) => Uint8Array) {
    this.prefix = Array.from(randomBytes(6), (byte) => byte.toString(16).padStart(2, "0")).join("")
  }

  next(sent?: string): string {
    return sent !== undefined && acceptable.test(sent) ? sent : `${this.prefix}-${(++this.count).toString(36)}`
  }
}
