import type { ClientKind, HttpRequest } from "./HttpRequest.ts"

/**
 * How far a request has come. From `admitted` on its transaction runs, so that it can no longer be canceled: its outcome is
 * the response.
 */
export type Phase = "received" | "receivingBody" | "running" | "admitted"

/** A request while it is handled, and what is known of its response. */
export class RequestContext {
  readonly request: HttpRequest
  readonly requestId: string
  /** The headers of the response so far: names and values in turn. */
  readonly headers: Array<string>
  /** The path of the request, without its query. */
  path = ""
  /** Without its question mark. */
  query = ""
  /** The values of the parameters in the path. */
  pathValues: ReadonlyArray<string> = []
  phase: Phase = "received"
  client: ClientKind = "anonymous"
  /** Whether the connection closes after the response, because what follows on it cannot be trusted. */
  closesConnection = false
  isDisconnected = false

  constructor(request: HttpRequest, requestId: string) {
    this.request = request
    this.requestId = requestId
    this.headers = ["X-Request-Id", requestId]
  }

  /** `Accept-Encoding`, if the response may be compressed here. */
  get acceptEncoding(): string | undefined {
    return this.request.canEncode ? this.request.header("accept-encoding") : undefined
  }

  header(name: string): string | undefined {
    return this.request.header(name)
  }
}
