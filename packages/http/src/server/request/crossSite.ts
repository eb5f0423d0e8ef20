import { CrossSiteRequest } from "@petstore/core/domain"
import type { RequestContext } from "../RequestContext.ts"

const allowedOrigin = ({ headers, request }: RequestContext): string | undefined => {
  const index = headers.indexOf("Access-Control-Allow-Origin")
  return index === -1 ? request.allowedOrigin : headers[index + 1]
}

/**
 * Whether an origin is that of the server, as its client or a proxy calls it. No trust in the proxy is needed: pages cannot set
 * `X-Forwarded-Host` without asking first, as with every header of their own.
 */
const isOwn = (origin: string, { request }: RequestContext): boolean => {
  const page = URL.parse(origin)
  if (page === null || page.host === "") return false
  const forwarded = request.header("x-forwarded-host")?.split(",") ?? []
  const hosts = [request.header("host"), ...forwarded, URL.parse(request.target)?.host]
  // The port may be there though it is the one of the scheme.
  return hosts.some((host) => host !== undefined && URL.parse(`${page.protocol}//${host.trim()}`)?.host === page.host)
}

/** Whether a page of another origin has sent a request. Its credentials may be those that the browser adds by itself. */
const isForeign = (context: RequestContext, origin: string | undefined): boolean => {
  const site = context.request.header("sec-fetch-site")
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  if (origin === undefined) return false
  // Old browsers do not say, and none does over plain HTTP. A key in a header is none that a browser adds.
  const hasKey = /^bearer /i.test(context.request.header("authorization") ?? "")
  return !hasKey && !isOwn(origin, context)
}

/**
 * Rejects a change that a page of another origin makes, unless CORS allows that origin: browsers send some requests with the cookies
 * of the user before they ask, such as a POST without a body. With `*`, pages have no cookies.
 */
export const refuseCrossSite = (context: RequestContext): CrossSiteRequest | undefined => {
  const origin = context.request.header("origin")
  if (!isForeign(context, origin)) return undefined
  const allowed = allowedOrigin(context)
  const isAllowed =
    allowed === "*" ? context.request.header("cookie") === undefined : origin !== undefined && allowed === origin
  return isAllowed && origin !== "null" ? undefined : new CrossSiteRequest({})
}
