/** What a request is answered, whichever way it came. */
export interface Answer<Body extends string | Uint8Array<ArrayBuffer> = string | Uint8Array<ArrayBuffer>> {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: Array<string>
  /** JSON as text, or compressed; empty where there is no body. */
  readonly body: Body
}

/** An answer with a body. */
export const jsonAnswer = (status: number, headers: Array<string>, body: string): Answer<string> => {
  headers.push("Content-Type", "application/json")
  return { status, headers, body }
}
