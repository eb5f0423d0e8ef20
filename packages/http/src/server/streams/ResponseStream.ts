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

/** A body that is made while it is sent. Either method is called once. */
export interface ResponseStream {
  /** Begins to write. Returns what to call when the client has disconnected. */
  readonly open: (sink: StreamSink) => () => void
  /** Gives the stream up before it was opened. */
  readonly cancel: () => void
}
