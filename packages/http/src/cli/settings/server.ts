import { isIP } from "node:net"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { serveOptions } from "../../server/options.ts"
import type { CorsOptions } from "../../server/response/Cors.ts"
import { isOrigin } from "../../server/response/isOrigin.ts"
import { isRange } from "../../webhooks/AddressRanges.ts"
import { type FlagSetting, isHostname, type Setting, whole, wholeNumber } from "../Setting.ts"

type Rows = typeof serveOptions

/** The options of `serve` whose flag has the same meaning, and the same default. */
type SharedOption = {
  [Name in keyof Rows]: Rows[Name] extends { readonly sentence: string } ? Name : never
}[keyof Rows & string]

/** The flag of an option of `serve`, its variable, its default and its description. */
const ofOption = (name: SharedOption) => {
  const { default: value, sentence } = serveOptions[name]
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const env = `PETSTORE_${flag.replaceAll("-", "_").toUpperCase()}`
  return { flag, env, default: String(value), description: sentence }
}

export const port: FlagSetting<number> = {
  ...ofOption("port"),
  env: "PORT",
  metavar: "PORT",
  expected: "a port from 0 to 65535",
  parse: (text) => whole(text, 0, 65_535)
}

export const host: FlagSetting<string> = {
  ...ofOption("host"),
  env: "HOST",
  metavar: "HOST",
  expected: "an IP address or a hostname",
  parse: (text) => (isIP(text) !== 0 || isHostname(text) ? Option.some(text) : Option.none())
}

export const basePath: FlagSetting<string> = {
  ...ofOption("basePath"),
  metavar: "PATH",
  expected: "a path such as /v1 or /shop/v1, or / for none",
  parse: (text) =>
    /^(?:\/[0-9A-Za-z._~-]*[0-9A-Za-z_~-])+$|^\/$/.test(text) ? Option.some(text === "/" ? "" : text) : Option.none()
}

/** The path that a proxy puts in front of the server; "" for none. */
export const mountPath: FlagSetting<string> = {
  flag: "mount-path",
  env: "PETSTORE_MOUNT_PATH",
  default: "/",
  metavar: "PATH",
  description: "Path at which a proxy serves this server; every path in a response begins with it",
  expected: "a path such as /petstore, or / for none",
  parse: basePath.parse
}

/** Whether the console is served. */
export const console: FlagSetting<boolean> = {
  flag: "console",
  env: "PETSTORE_CONSOLE",
  default: "on",
  metavar: "on|off",
  description: "Page at /console to look at the petstore and to act on it",
  expected: "on or off",
  parse: (text) => (text === "on" || text === "off" ? Option.some(text === "on") : Option.none())
}

/** How lists find names. */
export const search: FlagSetting<"words" | undefined> = {
  flag: "search",
  env: "PETSTORE_SEARCH",
  default: "off",
  metavar: "words|off",
  description: "Index of the words of names, by which ?search= of pets finds them; the first start builds it",
  expected: "words or off",
  parse: (text) => (text === "off" ? Option.some(undefined) : text === "words" ? Option.some(text) : Option.none())
}

/** Origins of pages that may read responses; undefined for none. */
export const cors: FlagSetting<CorsOptions | undefined> = {
  flag: "cors",
  env: "PETSTORE_CORS",
  default: "none",
  metavar: "ORIGINS|*|none",
  description: "Origins of web pages that may use the API from a browser",
  expected:
    "origins separated by commas, such as https://shop.example, without wildcards or a slash at the end, or * for all, or none",
  parse: (text) => {
    if (text === "none") return Option.some(undefined)
    if (text === "*") return Option.some({ origins: text })
    const origins = text.split(",")
    return origins.every(isOrigin) ? Option.some({ origins }) : Option.none()
  }
}

/** Proxies in front of the server. */
export const trustProxy: FlagSetting<number> = {
  ...ofOption("trustProxy"),
  ...wholeNumber(0, 100)
}

/** Requests per minute and key. */
export const rateLimit: FlagSetting<number | "off"> = {
  ...ofOption("rateLimit"),
  metavar: "NUMBER|off",
  expected: "a whole number from 1 to 1000000000, or off",
  parse: (text) => (text === "off" ? Option.some(text) : whole(text, 1, 1_000_000_000))
}

/** Connections that may be open. */
export const connectionLimit: FlagSetting<number> = {
  ...ofOption("connectionLimit"),
  ...wholeNumber(1, 1_000_000)
}

/** Streams of events that may be open. */
export const streamLimit: FlagSetting<number> = {
  ...ofOption("streamLimit"),
  ...wholeNumber(0, 1_000_000)
}

/** Streams of events that one key may have open. */
export const streamsPerKey: FlagSetting<number> = {
  ...ofOption("streamsPerKey"),
  ...wholeNumber(0, 1_000_000)
}

/** Open orders that one customer may have. */
export const customerOrders: FlagSetting<number | "off"> = {
  flag: "customer-orders",
  env: "PETSTORE_CUSTOMER_ORDERS",
  default: "100",
  metavar: "NUMBER|off",
  description:
    "Maximum number of open orders of a caller with orders:own; off lifts this limit and those of units and drafts",
  expected: "a whole number from 0 to 1000, or off",
  parse: (text) => (text === "off" ? Option.some(text) : whole(text, 0, 1_000))
}

/** Units that the open orders of one customer may reserve. */
export const customerUnits: FlagSetting<number> = {
  ...wholeNumber(0, 1_000_000_000),
  flag: "customer-units",
  env: "PETSTORE_CUSTOMER_UNITS",
  default: "10000",
  description: "Maximum number of units that the open orders of such a caller reserve"
}

/** Drafts that one customer may have. */
export const customerDrafts: FlagSetting<number> = {
  ...wholeNumber(0, 1_000),
  flag: "customer-drafts",
  env: "PETSTORE_CUSTOMER_DRAFTS",
  default: "100",
  description: "Maximum number of drafts of such a caller"
}

/** Addresses beside those of the internet that webhooks may be sent to. */
export const webhookAddresses: FlagSetting<ReadonlyArray<string>> = {
  flag: "webhook-addresses",
  env: "PETSTORE_WEBHOOK_ADDRESSES",
  default: "none",
  metavar: "RANGES|none",
  description: "Private addresses that webhooks may be sent to, also by http",
  expected: "addresses and ranges separated by commas, such as 127.0.0.1,10.20.0.0/16, or none",
  parse: (text) => {
    const ranges = text === "none" ? [] : text.split(",")
    return ranges.every(isRange) ? Option.some(ranges) : Option.none()
  }
}

/** Not a flag: command lines are visible to every user of the machine. */
export const adminKey: Setting<Redacted.Redacted<string> | undefined> = {
  env: "PETSTORE_ADMIN_KEY",
  default: "",
  metavar: "KEY",
  description: "Admin key that is valid while it is set, and never stored",
  expected: "20 or more letters, digits and any of -._~+/, with = at the end only",
  secret: true,
  parse: (text) => {
    if (text === "") return Option.some(undefined)
    const key = /^[0-9A-Za-z._~+/-]+=*$/.test(text) && text.length >= 20
    return key ? Option.some(Redacted.make(text)) : Option.none()
  }
}
