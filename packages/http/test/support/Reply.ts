/** A response, with its headers in lower case. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, if it is JSON. */
  readonly body: unknown
}
