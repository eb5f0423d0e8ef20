import { isIP } from "node:net"
import type { HttpRequest, Scheme } from "../HttpRequest.ts"

/** An address with the port that some proxies add: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withPort = /^(?:\[([^\]]*)\]|([0-9.]+))(?::\d{1,5})?$/

/** The address in a text, which is safe in a log; undefined if there is none. */
const addressIn = (text: string): string | undefined => {
  const [, inBrackets, beforePort] = withPort.exec(text) ?? []
  const address = inBrackets ?? beforePort ?? text
  return isIP(address) !== 0 ? address : undefined
}

const isScheme = (text: string): text is Scheme => text === "http" || text === "https"

/**
 * The proxies in front of a server, and what they report of the requests that they pass on. Each adds its value at the end of a
 * header, or replaces it; what stands before those of the trusted proxies was sent by the client, and is ignored.
 */
export class TrustedProxies {
  private readonly count: number

  constructor(count: number) {
    this.count = count
  }

  /** The address of the client: what the first proxy was called from, or the connection comes from. */
  addressOf(request: Pick<HttpRequest, "address" | "header">): string | undefined {
    return addressIn(this.reported(request, "x-forwarded-for") ?? "") ?? request.address
  }

  /** The scheme that the client has used. */
  schemeOf(request: Pick<HttpRequest, "header" | "scheme">): Scheme {
    const scheme = this.reported(request, "x-forwarded-proto")?.toLowerCase()
    return scheme !== undefined && isScheme(scheme) ? scheme : request.scheme
  }

  private reported(request: Pick<HttpRequest, "header">, name: string): string | undefined {
    if (this.count === 0) return undefined
    const values = request.header(name)?.split(",") ?? []
    return (values.at(-this.count) ?? values[0])?.trim()
  }
}
