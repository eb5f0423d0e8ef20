import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import type { HostPrincipal, HostRequest } from "./authentication/HostPrincipal.ts"
import type { CorsOptions } from "./response/Cors.ts"

/** How the REST API is served. */
export interface HandlerOptions {
  /** Where the operations are; `/v1` if absent, `""` for the root. */
  readonly basePath?: string
  /**
   * The path that the handler is mounted at, such as `/petstore`, whether the host strips it or not; put before every
   * path that is answered.
   */
  readonly mountPath?: string
  /**
   * An admin key beside those in the store, kept in memory only: 20 or more letters, digits and any of `- . _ ~ + /`, with `=` at its
   * end only. `Redacted.make(key)` of effect keeps it out of logs of your own.
   */
  readonly adminKey?: string | Redacted.Redacted<string>
  /**
   * Who asks, as the host knows from its own session, instead of API keys; `undefined` or null where nobody is
   * signed in, which answers 401. An error of the petstore that is thrown is the answer; any other is logged, and answers 500.
   *
   * Declared as a method, so that it may ask for the request of the host's framework.
   */
  authenticate?(request: HostRequest): HostPrincipal | null | undefined | Promise<HostPrincipal | null | undefined>
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
  /**
   * Whether `node` compresses lists, the description and the reference page for clients that accept it; true if absent. Turn it
   * off if your app or a proxy in front of it compresses. `fetch` never compresses: that is for the server around it.
   */
  readonly compression?: boolean
  /** Which pages of other origins may read answers; none if absent. */
  readonly cors?: CorsOptions
}
