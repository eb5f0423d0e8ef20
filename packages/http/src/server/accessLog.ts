import type { HttpRequest } from "./HttpRequest.ts"

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

/** Whether a text is an address, and so is safe in a log. */
const isAddress = (text: string): boolean => /^[0-9a-f.:]{2,45}$/i.test(text)

/**
 * The address of the client of a request. Each proxy adds the address that it was called from at the end of `X-Forwarded-For`; what
 * stands before those of the trusted proxies was sent by the client, and is ignored.
 */
export const clientAddress = (
  request: Pick<HttpRequest, "address" | "header">,
  trustedProxies: number
): string | undefined => {
  if (trustedProxies === 0) return request.address
  const forwarded =
    request
      .header("x-forwarded-for")
      ?.split(",")
      .map((part) => part.trim()) ?? []
  const client = forwarded.at(-trustedProxies) ?? forwarded[0]
  return client !== undefined && isAddress(client) ? client : request.address
}
