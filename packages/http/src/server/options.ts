import type * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import type { HostPrincipal } from "./authentication/hostAuthentication.ts"
import type { HostRequest } from "./HttpRequest.ts"
import type { CorsOptions } from "./response/Cors.ts"

/** How the REST API is served. */
export interface HandlerOptions {
  /** The path in front of every operation; `/v1` if absent, `""` for none. */
  readonly basePath?: string
  /**
   * The path that the handler is mounted at, such as `/petstore`, whether your framework strips it from the request or not. It
   * is in front of every path in a response.
   */
  readonly mountPath?: string
  /**
   * An admin key beside those in the store, kept in memory only: 20 or more letters, digits and any of `- . _ ~ + /`, with `=` at its
   * end only. `Redacted.make(key)` of effect keeps it out of your logs.
   */
  readonly adminKey?: string | Redacted.Redacted<string>
  /**
   * Returns the user of a request by the session of your app, instead of an API key; `undefined` or null if nobody is signed in,
   * which results in status 401. If it throws a PetstoreError, that is the response; anything else is logged, with status 500.
   *
   * Declared as a method, so that you can give its parameter the request type of your framework.
   */
  authenticate?(request: HostRequest): HostPrincipal | null | undefined | Promise<HostPrincipal | null | undefined>
  /** Requests per minute and key; 60,000 if absent. */
  readonly rateLimit?: number | "off"
  /** The largest request body in bytes; 256 KiB if absent. */
  readonly bodyLimit?: number
  /** How many requests are handled at a time; 1,024 if absent. Beyond it, a request is refused with `overloaded`. */
  readonly waitingLimit?: number
  /** How long a request waits before its transaction begins; 30 seconds if absent. */
  readonly requestTimeout?: Duration.Input
  /** How long `close` waits for requests that have begun; 10 seconds if absent. */
  readonly drainTimeout?: Duration.Input
  /** Whether operations keep working after their sunset date; if absent, they respond with 410. */
  readonly serveAfterSunset?: boolean
  /**
   * Whether `node` compresses lists, the API document and the reference page for clients that accept it; true if absent. Turn it
   * off if your app or a proxy in front of it compresses. `fetch` never compresses: that is for the server around it.
   */
  readonly compression?: boolean
  /** Which pages of other origins may read responses; none if absent. */
  readonly cors?: CorsOptions
}

/** Where and how to serve. */
export interface ServeOptions extends HandlerOptions {
  /** The hostname or address to listen on; 127.0.0.1 if absent. */
  readonly host?: string
  /** 8080 if absent; 0 for any free port. */
  readonly port?: number
  /**
   * How many connections may be open; 4,096 if absent. Beyond it, a new connection replaces one that has not shown valid
   * credentials, or is closed.
   */
  readonly connectionLimit?: number
  /**
   * How long connections stay open without a request while the server stops, so that a request that is on its way gets a
   * response; 500 milliseconds if absent.
   */
  readonly idleGrace?: Duration.Input
}

const handlerOptions: Readonly<Record<keyof HandlerOptions, true>> = {
  basePath: true,
  mountPath: true,
  adminKey: true,
  authenticate: true,
  rateLimit: true,
  bodyLimit: true,
  waitingLimit: true,
  requestTimeout: true,
  drainTimeout: true,
  serveAfterSunset: true,
  compression: true,
  cors: true
}

const serveOptions: Readonly<Record<keyof ServeOptions, true>> = {
  ...handlerOptions,
  host: true,
  port: true,
  connectionLimit: true,
  idleGrace: true
}

const isCount = (value: unknown): boolean => value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)

/** Written as browsers send it, or no page would ever match (RFC 6454, section 6.2). */
const isOrigin = (value: unknown): boolean =>
  typeof value === "string" && /^(?:[a-z][a-z\d+.-]*:\/\/[^\s/?#]+|null)$/.test(value)

const check = (caller: string, options: HandlerOptions, known: object): void => {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${caller} takes an object of options, such as { mountPath: "/petstore" }`)
  }
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(known, name))
  if (unknown.length > 0) {
    throw new TypeError(
      `${caller} does not know the option ${unknown.join(", ")}; it takes ${Object.keys(known).join(", ")}`
    )
  }
  const { adminKey, authenticate, bodyLimit, compression, cors, serveAfterSunset, waitingLimit } = options
  if (adminKey !== undefined && typeof adminKey !== "string" && !Redacted.isRedacted(adminKey)) {
    throw new TypeError("The option adminKey takes a string, or Redacted.make(key) of effect")
  }
  if (authenticate !== undefined && typeof authenticate !== "function") {
    throw new TypeError("The option authenticate takes a function that returns the signed-in user")
  }
  if (!isCount(bodyLimit)) throw new TypeError("The option bodyLimit takes a whole number of bytes")
  if (!isCount(waitingLimit)) throw new TypeError("The option waitingLimit takes a whole number of requests")
  if (serveAfterSunset !== undefined && typeof serveAfterSunset !== "boolean") {
    throw new TypeError("The option serveAfterSunset takes true or false")
  }
  if (compression !== undefined && typeof compression !== "boolean") {
    throw new TypeError("The option compression takes true or false")
  }
  const origins = cors?.origins
  if (cors !== undefined && origins !== "*" && !(Array.isArray(origins) && origins.every(isOrigin))) {
    throw new TypeError(
      'The option cors takes { origins: "*" }, or a list of origins there, such as "https://shop.example", without a path'
    )
  }
}

/** Throws a TypeError for options of the wrong type, which plain JavaScript may pass. `caller`: the function they were given to. */
export const checkHandlerOptions = (caller: string, options: HandlerOptions): void =>
  check(caller, options, handlerOptions)

/** Throws a TypeError for options of the wrong type, which plain JavaScript may pass. */
export const checkServeOptions = (options: ServeOptions): void => {
  check("serve", options, serveOptions)
  const { connectionLimit } = options
  if (!isCount(connectionLimit) || connectionLimit === 0) {
    throw new TypeError("The option connectionLimit takes a whole number of connections, 1 or more")
  }
}
