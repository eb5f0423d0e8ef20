import { CrossSiteRequest } from "@petstore/core/domain"
import type { RequestContext } from "../RequestContext.ts"

const allowedOrigin = ({ headers, request }: RequestContext): string | undefined => {
  const index = headers.indexOf("Access-Control-Allow-Origin")
  return index === -1 ? request.allowedOrigin : headers[index + 1]
}

/**
 * Rejects a change that a page of another origin makes, unless CORS allows that origin: browsers send some requests with the cookies
 * of the user before they ask, such as a POST without a body. With `*`, pages have no cookies.
 */
export const refuseCrossSite = (context: RequestContext): CrossSiteRequest | undefined => {
  const site = context.header("sec-fetch-site") ?? "none"
  if (site === "same-origin" || site === "none") return undefined
  const origin = context.header("origin")
  const allowed = allowedOrigin(context)
  const isAllowed =
    allowed === "*" ? context.header("cookie") === undefined : origin !== undefined && allowed === origin
  return isAllowed && origin !== "null" ? undefined : new CrossSiteRequest({})
}
