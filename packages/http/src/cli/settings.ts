import { isIP } from "node:net"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { isRange } from "../webhooks/AddressRanges.ts"
import { type PostgresDatabase, parsePostgresUrl } from "./PostgresUrl.ts"
import type { FlagSetting, Setting } from "./Setting.ts"
import { type LogFormat, logFormats } from "./terminal/LogFormat.ts"

/** Where the data is stored. */
export type StorageChoice = { readonly kind: "memory" } | DatabaseFile | PostgresDatabase

/** The path of an SQLite file. */
export interface DatabaseFile {
  readonly kind: "sqlite"
  readonly file: string
}

/** A database, and the place of the tables in it. */
export interface Database {
  readonly storage: DatabaseFile | PostgresDatabase
  /** For SQLite: how the names of the tables begin. */
  readonly tablePrefix: string
  /** For PostgreSQL: the schema of the tables. */
  readonly schema: string
}

const whole = (text: string, minimum: number, maximum: number): Option.Option<number> =>
  /^\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
    ? Option.some(Number(text))
    : Option.none()

const isHostname = (text: string): boolean =>
  text.length <= 253 &&
  !/^[\d.]*$/.test(text) &&
  text.split(".").every((label) => /^[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?$/.test(label))

export const port: FlagSetting<number> = {
  flag: "port",
  env: "PORT",
  default: "8080",
  metavar: "PORT",
  description: "Port to listen on; 0 for any free port",
  expected: "a port from 0 to 65535",
  parse: (text) => whole(text, 0, 65_535)
}

export const host: FlagSetting<string> = {
  flag: "host",
  env: "HOST",
  default: "127.0.0.1",
  metavar: "HOST",
  description: "Address or hostname to listen on",
  expected: "an IP address or a hostname",
  parse: (text) => (isIP(text) !== 0 || isHostname(text) ? Option.some(text) : Option.none())
}

export const basePath: FlagSetting<string> = {
  flag: "base-path",
  env: "PETSTORE_BASE_PATH",
  default: "/v1",
  metavar: "PATH",
  description: "Prefix of the path of every operation",
  expected: "a path such as /v1 or /shop/v1, or / for none",
  parse: (text) =>
    /^(?:\/[0-9A-Za-z._~-]*[0-9A-Za-z_~-])+$|^\/$/.test(text) ? Option.some(text === "/" ? "" : text) : Option.none()
}

/** Requests per minute and key. */
export const rateLimit: FlagSetting<number | "off"> = {
  flag: "rate-limit",
  env: "PETSTORE_RATE_LIMIT",
  default: "60000",
  metavar: "NUMBER|off",
  description: "Requests per minute and key that this server accepts, or off for no limit",
  expected: "a whole number from 1 to 1000000000, or off",
  parse: (text) => (text === "off" ? Option.some(text) : whole(text, 1, 1_000_000_000))
}

/** For how long something is kept. */
type KeptFor = Duration.Duration | "forever"

const keptFor = {
  default: "forever",
  metavar: "DURATION",
  expected: "a duration such as 90 days, or forever",
  parse: (text: string): Option.Option<KeptFor> => {
    if (text === "forever") return Option.some(text)
    // Only units: a number alone would be milliseconds.
    const duration = /^\d{1,9} (?:second|minute|hour|day|week)s?$/.test(text) ? (text as Duration.Input) : undefined
    return duration === undefined ? Option.none() : Duration.fromInput(duration)
  }
} as const

export const keepEvents: FlagSetting<KeptFor> = {
  ...keptFor,
  flag: "keep-events",
  env: "PETSTORE_KEEP_EVENTS",
  description: "How long events are kept, such as 90 days"
}

export const keepMessages: FlagSetting<KeptFor> = {
  ...keptFor,
  flag: "keep-messages",
  env: "PETSTORE_KEEP_MESSAGES",
  description: "How long delivered messages are kept, such as 30 days"
}

export const keepDeliveries: FlagSetting<KeptFor> = {
  ...keptFor,
  flag: "keep-deliveries",
  env: "PETSTORE_KEEP_DELIVERIES",
  description: "How long finished deliveries of webhooks are kept once their events are removed, such as 30 days"
}

/** How many events are kept. */
export const keepEventCount: FlagSetting<number | "all"> = {
  flag: "keep-event-count",
  env: "PETSTORE_KEEP_EVENT_COUNT",
  default: "all",
  metavar: "NUMBER|all",
  description: "How many of the latest events are kept, or all",
  expected: "a whole number from 1 to 1000000000, or all",
  parse: (text) => (text === "all" ? Option.some(text) : whole(text, 1, 1_000_000_000))
}

/** Addresses beside those of the internet that webhooks may be sent to. */
export const webhookAddresses: FlagSetting<ReadonlyArray<string>> = {
  flag: "webhook-addresses",
  env: "PETSTORE_WEBHOOK_ADDRESSES",
  default: "none",
  metavar: "RANGES|none",
  description: "Private addresses that webhooks may go to, by http too",
  expected: "addresses and ranges separated by commas, such as 127.0.0.1,10.20.0.0/16, or none",
  parse: (text) => {
    const ranges = text === "none" ? [] : text.split(",")
    return ranges.every(isRange) ? Option.some(ranges) : Option.none()
  }
}

/** Connections that may be open. */
export const connectionLimit: FlagSetting<number> = {
  flag: "connection-limit",
  env: "PETSTORE_CONNECTION_LIMIT",
  default: "4096",
  metavar: "NUMBER",
  description: "How many connections may be open",
  expected: "a whole number from 1 to 1000000",
  parse: (text) => whole(text, 1, 1_000_000)
}

/** Where metrics are served: nowhere, beside the API, or at an address of their own. */
export type MetricsChoice = "off" | "on" | { readonly host: string; readonly port: number }

const parseAddress = (text: string): Option.Option<MetricsChoice> => {
  const [, address = "127.0.0.1", digits = ""] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? []
  const hostname = address.replace(/^\[(.*)\]$/, "$1")
  return isIP(hostname) === 0 && !isHostname(hostname)
    ? Option.none()
    : Option.map(whole(digits, 0, 65_535), (number) => ({ host: hostname, port: number }))
}

export const metrics: FlagSetting<MetricsChoice> = {
  flag: "metrics",
  env: "PETSTORE_METRICS",
  default: "off",
  metavar: "off|on|PORT|HOST:PORT",
  description: "Metrics for Prometheus at /metrics: on for beside the API, PORT for a server of their own on 127.0.0.1",
  expected: "off, on, a port from 0 to 65535, or HOST:PORT",
  parse: (text) => (text === "off" || text === "on" ? Option.some(text) : parseAddress(text))
}

const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
}

/** Where traces and metrics are sent; undefined for nowhere. */
export const otlp: FlagSetting<string | undefined> = {
  flag: "otlp",
  env: "OTEL_EXPORTER_OTLP_ENDPOINT",
  default: "off",
  metavar: "URL|off",
  description: "Collector of OpenTelemetry that gets traces and metrics, such as http://127.0.0.1:4318",
  expected: "off, or an http or https URL without a user or password",
  parse: (text) => {
    if (text === "off") return Option.some(undefined)
    return isHttpUrl(text) ? Option.some(text) : Option.none()
  }
}

export const logFormat: FlagSetting<LogFormat> = {
  flag: "log-format",
  env: "PETSTORE_LOG_FORMAT",
  default: "auto",
  metavar: "auto|pretty|logfmt|json",
  description: "Format of the log; auto is pretty on a terminal, else logfmt",
  expected: "auto, pretty, logfmt or json",
  parse: (text) => Option.fromUndefinedOr(logFormats.find((format) => format === text))
}

/** Not a flag: command lines are visible to every user of the machine. */
export const adminKey: Setting<Redacted.Redacted<string> | undefined> = {
  env: "PETSTORE_ADMIN_KEY",
  default: "",
  metavar: "KEY",
  description: "An admin key for as long as it is set",
  expected: "20 or more letters, digits and any of -._~+/, with = at the end only",
  secret: true,
  parse: (text) => {
    if (text === "") return Option.some(undefined)
    const key = /^[0-9A-Za-z._~+/-]+=*$/.test(text) && text.length >= 20
    return key ? Option.some(Redacted.make(text)) : Option.none()
  }
}

/** The URL of a remote petstore; undefined for the database itself. */
export const remoteUrl: FlagSetting<string | undefined> = {
  flag: "url",
  env: "PETSTORE_URL",
  default: "none",
  metavar: "URL",
  description: "URL of the REST API of a petstore, such as https://pets.example/v1, to read from instead of a database",
  expected: "an http or https URL with the base path and without a user or password",
  parse: (text) => {
    if (text === "none") return Option.some(undefined)
    return isHttpUrl(text) ? Option.some(text) : Option.none()
  }
}

/** Of the caller of a remote petstore. Not a flag, as the admin key. */
export const remoteKey: Setting<Redacted.Redacted<string> | undefined> = {
  env: "PETSTORE_KEY",
  default: "",
  metavar: "KEY",
  description: "The API key for --url",
  expected: "an API key",
  secret: true,
  parse: (text) => Option.some(text === "" ? undefined : Redacted.make(text))
}

const parseFile = (text: string): Option.Option<DatabaseFile> => {
  const file = /^sqlite:(?!\/\/|:memory:)([^\0]+)$/.exec(text)?.[1]
  return file === undefined ? Option.none() : Option.some({ kind: "sqlite", file })
}

const parseDatabase = (text: string): Option.Option<Database["storage"]> =>
  Option.orElse(parseFile(text), () => parsePostgresUrl(text))

const server = "postgres://USER@HOST/DATABASE"

export const storage: FlagSetting<StorageChoice> = {
  flag: "storage",
  env: "PETSTORE_STORAGE",
  default: "sqlite:./petstore.db",
  metavar: "STORAGE",
  description: `Database: sqlite:FILE, ${server}, or memory: for data that is lost when the server stops`,
  expected: `sqlite:FILE, ${server} or memory:`,
  parse: (text) => (text === "memory:" ? Option.some({ kind: "memory" }) : parseDatabase(text))
}

/** For every subcommand but `serve`: data in memory exists only in the process of the server. */
export const database: FlagSetting<Database["storage"]> = {
  ...storage,
  description: `Database: sqlite:FILE or ${server}`,
  expected: `sqlite:FILE or ${server} (only serve takes memory:)`,
  parse: parseDatabase
}

export const tablePrefix: FlagSetting<string> = {
  flag: "table-prefix",
  env: "PETSTORE_TABLE_PREFIX",
  default: "petstore_",
  metavar: "PREFIX",
  description: "Prefix of the table names, on SQLite",
  expected: "up to 30 lower-case letters, digits and underscores, a letter first, not sqlite_",
  parse: (text) => (/^(?!sqlite_)[a-z][a-z0-9_]{0,29}$/.test(text) ? Option.some(text) : Option.none())
}

export const schema: FlagSetting<string> = {
  flag: "schema",
  env: "PETSTORE_SCHEMA",
  default: "petstore",
  metavar: "SCHEMA",
  description: "Schema of the tables, on PostgreSQL",
  expected: "up to 63 lower-case letters, digits and underscores, not a digit first, not pg_",
  parse: (text) => (/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(text) ? Option.some(text) : Option.none())
}

/** For `serve` on PostgreSQL, in seconds. */
export const startupTimeout: FlagSetting<number> = {
  flag: "startup-timeout",
  env: "PETSTORE_STARTUP_TIMEOUT",
  default: "60",
  metavar: "SECONDS",
  description: "How long to wait for PostgreSQL at the start, in seconds; 0 for one attempt",
  expected: "a whole number from 0 to 86400",
  parse: (text) => whole(text, 0, 86_400)
}
