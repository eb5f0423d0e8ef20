import type { Duration, Redacted } from "effect"
import type { CorsOptions } from "./Cors.ts"

/** How the REST API is served. */
export interface HandlerOptions {
  /** Where the operations are; `/v1` if absent, `""` for the root. */
  readonly basePath?: string
  /** The path that a host strips before it hands requests over, such as `/petstore`; put before every path that is answered. */
  readonly mountPath?: string
  /** An admin key beside those in the store, known from memory alone; at least 20 characters of the alphabet of bearer tokens. */
  readonly adminKey?: Redacted.Redacted<string>
  /** Requests per minute and key; 60,000 if absent. */
  readonly rateLimit?: number | "off"
  /** Bytes of a body; 256 KiB if absent. */
  readonly bodyLimit?: number
  /** Requests that may wait at a time; 1,024 if absent. */
  readonly waitingLimit?: number
  /** How long a request waits before its transaction begins; 30 seconds if absent. */
  readonly requestTimeout?: Duration.Input
  /** How long `close` waits for requests that have begun; 10 seconds if absent. */
  readonly drainTimeout?: Duration.Input
  /** Whether operations go on after their sunset date; they answer 410 if absent. */
  readonly serveAfterSunset?: boolean
  /** Which pages of other origins may read answers; none if absent. */
  readonly cors?: CorsOptions
}
