import type { Exchange } from "../Exchange.ts"

/** Which pages of other origins may read answers; `"*"` for all. */
export interface CorsOptions {
  readonly origins: "*" | ReadonlyArray<string>
}

const requestHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id"
const answerHeaders =
  "Deprecation, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id"
const preflightSeconds = "600"

/** Tells browsers which pages may use the API (Fetch Standard, section 3.2). */
export class Cors {
  private readonly origins: "*" | ReadonlySet<string>

  constructor({ origins }: CorsOptions) {
    this.origins = origins === "*" ? "*" : new Set(origins)
  }

  /** Adds what every answer says. */
  allow(exchange: Exchange): void {
    if (this.origins === "*") {
      exchange.headers.push("Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", answerHeaders)
      return
    }
    exchange.headers.push("Vary", "Origin")
    const origin = exchange.header("origin")
    if (origin !== undefined && this.origins.has(origin)) {
      exchange.headers.push("Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", answerHeaders)
    }
  }

  /** Whether a request only asks what another one may do. */
  isPreflight(exchange: Exchange): boolean {
    return (
      exchange.incoming.method === "OPTIONS" &&
      exchange.header("origin") !== undefined &&
      exchange.header("access-control-request-method") !== undefined
    )
  }

  /** Adds what the answer to a preflight says beside. */
  allowMethods(methods: ReadonlyArray<string>, headers: Array<string>): void {
    headers.push(
      "Access-Control-Allow-Methods",
      methods.join(", "),
      "Access-Control-Allow-Headers",
      requestHeaders,
      "Access-Control-Max-Age",
      preflightSeconds
    )
  }
}
