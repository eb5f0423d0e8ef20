/** Where the body of a response is written to while it is made. */
export interface StreamSink {
  /** Sends bytes, or keeps them until the client reads. */
  readonly write: (bytes: Uint8Array) => void
  /** How many bytes the client has not taken yet. */
  readonly pending: () => number
  /** Calls a function once when the client has taken bytes, perhaps not all. It replaces the one before. */
  readonly onDrain: (notify: () => void) => void
  /** Ends the response after what was written. */
  readonly end: () => void
  /** Ends the response at once, and drops what the client has not taken. */
  readonly cut: () => void
}

/** A body that is made while it is sent. */
export interface ResponseStream {
  /** Begins to write. Called once, if at all. */
  readonly open: (sink: StreamSink) => void
  /** Ends the stream because nobody receives it, whether it was opened or not. May be called again. */
  readonly cancel: () => void
}

/** A response, before it is written with node:http or made a Fetch `Response`. */
export interface HttpResponse<Body extends string | Uint8Array<ArrayBuffer> = string | Uint8Array<ArrayBuffer>> {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: Array<string>
  /** JSON as text, or compressed bytes; empty if there is no body. */
  readonly body: Body
  /** Writes the body while it is made; `body` is then empty. */
  readonly stream?: ResponseStream
}

/** A response whose body is JSON text. */
export const jsonResponse = (status: number, headers: Array<string>, body: string): HttpResponse<string> => {
  headers.push("Content-Type", "application/json")
  return { status, headers, body }
}
