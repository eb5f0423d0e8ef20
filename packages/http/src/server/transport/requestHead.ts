import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { requireValues, used } from "./appObjects.ts"

/** A request of node:http. Body parsers leave the body in `body`. */
export interface NodeRequest extends IncomingMessage {
  readonly body?: unknown
}

/** What a request says before its body. It is read once: objects of an app may throw whenever they are read. */
export interface RequestHead {
  readonly method: string
  readonly target: string
  /** Without those that are repeated where only one may stand. */
  readonly headers: IncomingHttpHeaders
  readonly isHostRepeated: boolean
  /** Undefined in requests that frameworks make. */
  readonly majorVersion: number | undefined
  readonly minorVersion: number
  readonly isHttp2: boolean
  readonly hasBody: boolean
  readonly socket: Socket
}

/** By default node:http drops all but the first of these, though a proxy may have used another. */
const single: ReadonlySet<string> = new Set(["authorization", "content-type", "host"])
const lengths: ReadonlySet<number> = new Set([...single].map(({ length }) => length))

const none: ReadonlyArray<string> = []

/** Those of the headers that stand in a request more than once. */
const repeatedIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen: Array<string> = []
  let repeated = none
  for (let index = 0; index < lines.length; index += 2) {
    const sent = lines[index] ?? ""
    const name = lengths.has(sent.length) ? sent.toLowerCase() : ""
    if (!single.has(name)) continue
    if (seen.includes(name)) repeated = [...repeated, name]
    else seen.push(name)
  }
  return repeated
}

/** Reads the head of a request. Throws what the object throws, or if it has promises. */
export const headOf = (
  request: NodeRequest & { readonly stream?: { readonly endAfterHeaders?: boolean } }
): RequestHead => {
  const { headers: all, httpVersionMajor, httpVersionMinor, method, rawHeaders, socket, url } = request
  // The parser of node:http takes `HTTP/2.0` in a first line, too, and goes on as with HTTP/1.1.
  const stream = httpVersionMajor >= 2 ? request.stream : undefined
  const coding = all["transfer-encoding"]
  const length = all["content-length"]
  const ends = stream?.endAfterHeaders
  requireValues([
    all,
    httpVersionMajor,
    httpVersionMinor,
    method,
    rawHeaders,
    socket,
    url,
    stream,
    coding,
    length,
    ends
  ])
  const repeated = repeatedIn(rawHeaders ?? none)
  const headers: IncomingHttpHeaders =
    repeated.length === 0
      ? all
      : Object.assign(Object.create(all), Object.fromEntries(repeated.map((name) => [name, undefined])))
  return {
    method: method ?? "",
    target: url ?? "",
    headers,
    isHostRepeated: repeated.includes("host"),
    majorVersion: httpVersionMajor,
    minorVersion: httpVersionMinor,
    isHttp2: stream !== undefined,
    // Only a flag shows whether a request of HTTP/2 ended with its headers, whatever `Content-Length` is.
    hasBody: stream === undefined ? coding !== undefined || (length ?? "0") !== "0" : ends !== true,
    socket
  }
}

/** A hostname with an optional port (RFC 9110, section 7.2). Without a comma: node:http joins two headers with one. */
const hostHeader = /^(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*(?::\d*)?$|^\[[\da-f:.]+(?:%25[\w.~-]+)?\](?::\d*)?$/i

/** Whether a `Host` header is well formed; it is empty for a target without an authority. */
export const isHostHeader = (value: string): boolean => hostHeader.test(value)

/**
 * Returns what is wrong with a request that node:http accepts but the petstore does not; undefined if nothing is. Proxies may see the end
 * of its body, and thus the beginning of the next request, elsewhere, or another host.
 */
export const malformation = ({ headers, isHostRepeated, isHttp2, majorVersion = 1, minorVersion }: RequestHead) => {
  if (isHttp2) return undefined
  if (majorVersion !== 1) return "This server speaks HTTP/1.1 and HTTP/1.0."
  const host = used(headers.host)
  if (isHostRepeated || host?.includes(",")) return "A request has one Host header only."
  if (host !== undefined && !hostHeader.test(host)) return "The Host header is not a hostname with an optional port."
  const coding = used(headers["transfer-encoding"])
  if (coding === undefined) return undefined
  // RFC 9112, section 6.1.
  if (minorVersion === 0) return "HTTP/1.0 has no transfer codings."
  return coding.toLowerCase() === "chunked" ? undefined : "The only transfer coding that is supported is chunked."
}
