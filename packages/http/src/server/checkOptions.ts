import * as Redacted from "effect/Redacted"
import type { HandlerOptions } from "./Options.ts"
import type { ServeOptions } from "./serve.ts"

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
    throw new TypeError("The option authenticate takes a function that tells who asks")
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

/** Throws a TypeError for what plain JavaScript may give instead of the options of a handler. */
export const checkHandlerOptions = (caller: string, options: HandlerOptions): void =>
  check(caller, options, handlerOptions)

/** Throws a TypeError for what plain JavaScript may give instead of the options of a server. */
export const checkServeOptions = (options: ServeOptions): void => {
  check("serve", options, serveOptions)
  const { connectionLimit } = options
  if (!isCount(connectionLimit) || connectionLimit === 0) {
    throw new TypeError("The option connectionLimit takes a whole number of connections, 1 or more")
  }
}
