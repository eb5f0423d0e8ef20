import type { ResponseStream } from "./streams/ResponseStream.ts"

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
