import {
  countOption,
  durationOption,
  functionOption,
  type OptionSchemas,
  type OptionTable,
  optionOf,
  optionsCheck,
  secretOption
} from "@petstore/core/domain"
import type * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { HostPrincipal } from "./authentication/authentication.ts"
import type { HostRequest } from "./HttpRequest.ts"
import type { CorsOptions } from "./response/Cors.ts"

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

/** How the REST API is served. */
export interface HandlerOptions {
  /** Prefix of the path of every operation. Default: `/v1`; `""` for none. */
  readonly basePath?: string
  /**
   * The path that the handler is mounted at, such as `/petstore`, whether or not your framework strips it from requests. Every path in
   * a response begins with it. Default: none.
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
   * Also called for open streams of events, every 5 seconds and by `checkStreams`, with the request that opened the stream: it ends
   * if the user is no longer the same or has other scopes. Look the session up where your app keeps it, not in a copy on the request.
   *
   * Declared as a method, so that you can give its parameter the request type of your framework.
   */
  authenticate?(request: HostRequest): HostPrincipal | null | undefined | Promise<HostPrincipal | null | undefined>
  /** Maximum number of requests per minute and key of this server. Default: 60,000. */
  readonly rateLimit?: number | "off"
  /** The largest request body in bytes. Default: 256 KiB. */
  readonly bodyLimit?: number
  /** Maximum number of requests in progress. Default: 1,024. Further ones fail with `overloaded`. */
  readonly waitingLimit?: number
  /** Maximum number of open streams of events. Default: 1,024. Further ones fail with `too_many_streams`. */
  readonly streamLimit?: number
  /**
   * Maximum number of open streams of events per API key or actor of your app. Default: 100. Whatever it is, one account, or an actor without
   * one, has at most three for each that is free.
   */
  readonly streamsPerKey?: number
  /** How long a request waits before its transaction begins. Default: 30 seconds. */
  readonly requestTimeout?: Duration.Input
  /** How long `close` waits for requests that have begun. Default: 10 seconds. */
  readonly drainTimeout?: Duration.Input
  /** Whether operations keep working after their sunset date. Default: false: they respond with 410. */
  readonly serveAfterSunset?: boolean
  /**
   * Whether `node` compresses lists, the API document and the reference page for clients that accept it. Default: true. Turn it
   * off if your app or a proxy in front of it compresses. `fetch` never compresses: that is for the server around it.
   */
  readonly compression?: boolean
  /**
   * Whether `GET /metrics`, outside of `basePath`, responds with metrics in the Prometheus text format, to anyone who can reach
   * it. Default: false. They contain no secrets and no personal data.
   */
  readonly metrics?: boolean
  /**
   * Whether `GET /console`, outside of `basePath`, is a page to look at the petstore and to act on it, for those who sign in. Default: false.
   * It uses the REST API, so that the scopes of its user decide.
   *
   * @beta
   */
  readonly console?: boolean
  /** Which pages of other origins may read responses. Default: none. */
  readonly cors?: CorsOptions
  /** Called with each response but those to health checks, for a log of accesses. What it throws is logged. */
  accessLog?(entry: AccessLogEntry): void
  /**
   * Number of proxies in front of the server that set `X-Forwarded-For` and `X-Forwarded-Proto`. Default: 0. With 1 or more, the address
   * that the first of them has added is in the access log and in traces instead of the proxy's, and its scheme in traces and metrics.
   */
  readonly trustProxy?: number
}

/** Where and how to serve. */
export interface ServeOptions extends HandlerOptions {
  /** Address or hostname to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** Port to listen on; 0 for any free port. Default: 8080. */
  readonly port?: number
  /**
   * Where to serve the metrics, and the health checks once more, apart from the API. Default: nowhere, and the
   * host 127.0.0.1.
   */
  readonly metricsServer?: { readonly host?: string; readonly port: number }
  /**
   * Maximum number of open connections. Default: 4,096. Beyond it, a new connection replaces one that has not shown valid
   * credentials, or is closed.
   */
  readonly connectionLimit?: number
  /**
   * How long connections stay open without a request while the server stops, so that a request that is on its way receives a
   * response. Default: 500 milliseconds.
   */
  readonly idleGrace?: Duration.Input
}

const isList = (origins: unknown): boolean =>
  Array.isArray(origins) && origins.every((origin) => typeof origin === "string")

const corsFields = optionsCheck(
  "The option cors",
  '{ origins: ["https://shop.example"] }',
  {
    origins: optionOf(
      '"*", or a list of origins such as ["https://shop.example"]',
      (value) => value === "*" || isList(value)
    ),
    credentials: Schema.Boolean
  } satisfies OptionSchemas<CorsOptions>,
  ["origins"]
)

const checkCors = ({ cors }: HandlerOptions): void => {
  if (cors === undefined) return
  corsFields(cors)
  if (cors.origins === "*" && cors.credentials === true) {
    throw new TypeError('The option cors takes credentials only with a list of origins, not with "*"')
  }
}

/** A port, which Node.js also takes as a text, as the environment has it. */
const isPort = (value: unknown): boolean =>
  (typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value))) &&
  Number.isInteger(Number(value)) &&
  Number(value) >= 0 &&
  Number(value) <= 65_535

const address = {
  host: {
    schema: optionOf(
      "an IP address or a hostname, without a scheme or port",
      (value) => typeof value === "string" && !value.includes("/")
    ),
    default: "127.0.0.1",
    sentence: "Address or hostname to listen on"
  },
  port: {
    schema: optionOf("a port from 0 to 65535", isPort),
    default: 8080,
    sentence: "Port to listen on; 0 for any free port"
  }
}

const metricsFields = optionsCheck(
  "The option metricsServer",
  "{ port: 9464 }",
  address satisfies OptionTable<NonNullable<ServeOptions["metricsServer"]>>,
  ["port"]
)

/** The options of `createHandler`. */
export const handlerOptions = {
  basePath: { schema: Schema.Unknown, default: "/v1", sentence: "Prefix of the path of every operation" },
  mountPath: { schema: Schema.Unknown, default: "" },
  adminKey: {
    schema: secretOption(
      "a string, or Redacted.make(key) of effect",
      (value) => typeof value === "string" || Redacted.isRedacted(value)
    )
  },
  authenticate: { schema: functionOption("a function that returns the signed-in user") },
  rateLimit: {
    schema: Schema.Unknown,
    default: 60_000,
    sentence: "Maximum number of requests per minute and key of this server"
  },
  bodyLimit: { schema: countOption("a whole number of bytes"), default: 256 * 1024 },
  waitingLimit: { schema: countOption("a whole number of requests"), default: 1_024 },
  streamLimit: {
    schema: countOption("a whole number of streams"),
    default: 1_024,
    sentence: "Maximum number of open streams of events"
  },
  streamsPerKey: {
    schema: countOption("a whole number of streams"),
    default: 100,
    sentence: "Maximum number of open streams of events per API key"
  },
  requestTimeout: { schema: durationOption, default: "30 seconds" },
  drainTimeout: { schema: durationOption, default: "10 seconds" },
  serveAfterSunset: { schema: Schema.Boolean, default: false },
  compression: { schema: Schema.Boolean, default: true },
  metrics: { schema: Schema.Boolean, default: false },
  console: { schema: Schema.Boolean, default: false },
  accessLog: { schema: functionOption("a function that takes an entry of the access log") },
  trustProxy: {
    schema: countOption("a whole number of proxies"),
    default: 0,
    sentence: "Number of proxies in front of the server that set X-Forwarded-For and X-Forwarded-Proto"
  },
  cors: { schema: Schema.Unknown }
} satisfies OptionTable<HandlerOptions>

export const serveOptions = {
  ...handlerOptions,
  ...address,
  metricsServer: { schema: Schema.Unknown },
  connectionLimit: {
    schema: countOption("a whole number of connections, 1 or more", 1),
    default: 4_096,
    sentence: "Maximum number of open connections"
  },
  idleGrace: { schema: durationOption, default: "500 millis" }
} satisfies OptionTable<ServeOptions>

const example = '{ mountPath: "/petstore" }'

/** Throws a TypeError for options of the wrong type, which plain JavaScript may pass. */
const checkOf = (caller: string, table: OptionTable<HandlerOptions>) => {
  const check = optionsCheck(caller, example, table)
  return (options: object): void => {
    check(options)
    checkCors(options)
    if ("metricsServer" in options && options.metricsServer !== undefined) metricsFields(options.metricsServer)
  }
}
export const checkCreateHandlerOptions = checkOf("createHandler", handlerOptions)
export const checkMakeHandlerOptions = checkOf("makeHandler", handlerOptions)
export const checkServeOptions = checkOf("serve", serveOptions)
