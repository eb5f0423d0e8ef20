import type { IncomingMessage } from "node:http"
import { used } from "./appObjects.ts"

/** A request of node:http; one of node:http2 has a stream. */
type Request = IncomingMessage & { readonly stream?: object }

/** Whether a request came by HTTP/2. The parser of node:http takes `HTTP/2.0` in a first line, too, and goes on as with HTTP/1.1. */
export const isHttp2 = (request: Request): boolean =>
  used(request.httpVersionMajor) >= 2 && used(request.stream) !== undefined

/** Whether a header stands in a request more than once. By default node:http drops all but the first, though a proxy may have used another. */
export const isRepeated = (request: IncomingMessage, name: string): boolean => {
  // Frameworks make requests without them.
  const lines: ReadonlyArray<string> = used(request.rawHeaders) ?? []
  let count = 0
  for (let index = 0; index < lines.length; index += 2) {
    const sent = lines[index]
    if (sent?.length === name.length && sent.toLowerCase() === name) count++
  }
  return count > 1
}
