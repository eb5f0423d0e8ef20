import type { HttpResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"
import { originFault } from "./isOrigin.ts"

/** Which pages of other origins may read responses, and send changes. */
export interface CorsOptions {
  /** The origins of these pages, such as `https://shop.example`; `"*"` for all. An empty list allows none, as without the option. */
  readonly origins: "*" | ReadonlyArray<string>
  /** Whether these pages may send cookies, for an app that authenticates its users by them. Default: false. Not with `"*"`. */
  readonly credentials?: boolean
}

const requestHeaders =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
const responseHeaders =
  "Deprecation, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, Total-Count, WWW-Authenticate, X-Request-Id"
const preflightSeconds = "600"

/** Adds the headers by which browsers let pages of other origins use the API (Fetch Standard, section 3.2). */
export class Cors {
  private readonly origins: "*" | ReadonlySet<string>
  private readonly credentials: boolean

  /** Throws a TypeError for an origin that no page has, or that pages of any site have. */
  constructor({ credentials = false, origins }: CorsOptions) {
    for (const origin of origins === "*" ? [] : origins) {
      const fault = originFault(origin)
      if (fault !== undefined) throw new TypeError(`cors cannot allow the origin ${JSON.stringify(origin)}: ${fault}`)
    }
    this.credentials = credentials
    this.origins = origins === "*" ? "*" : new Set(origins)
  }

  /** Adds the headers of every response. */
  addHeaders(context: RequestContext): void {
    if (this.origins === "*") {
      context.headers.push("Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", responseHeaders)
      return
    }
    context.headers.push("Vary", "Origin")
    const origin = context.request.header("origin")
    if (origin !== undefined && this.origins.has(origin)) {
      context.headers.push("Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", responseHeaders)
      if (this.credentials) context.headers.push("Access-Control-Allow-Credentials", "true")
    }
  }

  /** Returns the response to OPTIONS as a preflight request; undefined if it is none. `methods`: those of the path. */
  preflight(context: RequestContext, methods: ReadonlyArray<string>): HttpResponse | undefined {
    const isPreflight =
      context.request.header("origin") !== undefined &&
      context.request.header("access-control-request-method") !== undefined
    if (!isPreflight) return undefined
    const { headers } = context
    headers.push(
      "Access-Control-Allow-Methods",
      methods.join(", "),
      "Access-Control-Allow-Headers",
      requestHeaders,
      "Access-Control-Max-Age",
      preflightSeconds
    )
    return { status: 204, headers, body: "" }
  }
}
