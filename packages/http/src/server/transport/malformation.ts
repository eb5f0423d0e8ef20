import type { IncomingMessage } from "node:http"

/** A hostname with an optional port (RFC 9110, section 7.2). Without a comma: node:http joins two headers with one. */
const hostHeader = /^(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*(?::\d*)?$|^\[[\da-f:.]+(?:%25[\w.~-]+)?\](?::\d*)?$/i

/** Whether a `Host` header is well formed; it is empty for a target without an authority. */
export const isHostHeader = (value: string): boolean => hostHeader.test(value)

/** Returns what is wrong with a request that node:http accepts but this server does not; undefined if nothing is. */
export const malformation = ({
  headers: { host, "transfer-encoding": coding },
  httpVersionMajor,
  httpVersionMinor
}: IncomingMessage): string | undefined => {
  if (httpVersionMajor !== 1) return "This server speaks HTTP/1.1 and HTTP/1.0."
  if (host === undefined) return httpVersionMinor === 0 ? undefined : "A request needs a Host header."
  if (host.includes(",")) return "A request has one Host header only."
  if (!isHostHeader(host)) return "The Host header is not a hostname with an optional port."
  // Otherwise the end of the body is unknown (RFC 9112, section 6.3).
  return coding === undefined || /(?:^|[\s,])chunked$/i.test(coding)
    ? undefined
    : "The last transfer coding of a request must be chunked."
}
