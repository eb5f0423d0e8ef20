/** A response that a server has made, for a log of accesses. It contains no key, header, query or body. */
export interface AccessLogEntry {
  readonly method: string
  /** The path of the request, without its query. */
  readonly path: string
  /** 499 if the client disconnected before the response. */
  readonly status: number
  /** Milliseconds from the headers of the request to the response; for a stream, to its beginning. */
  readonly duration: number
  /** The operation or page; `none` if there is none for the path and method. */
  readonly operation: string
  readonly requestId: string
  /** The address of the client; undefined if it is not known, as in `fetch`. See `trustProxy`. */
  readonly address: string | undefined
  /** `key:ID`, `admin`, or the actor of a user of your app; undefined if the request showed no valid credentials. */
  readonly actor: string | undefined
}
