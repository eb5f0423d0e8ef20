import {
  countOption,
  durationOption,
  hasNoFields,
  type OptionTable,
  optionOf,
  optionsCheck,
  shown,
  valuesOf
} from "@petstore/core/domain"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { PostgresPool } from "./connection/driver.ts"
import { readParameters } from "./connection/urlParameters.ts"

interface CommonOptions {
  /** Schema of the tables. Default: `petstore`. It is created if it does not exist. */
  readonly schema?: string
  /** Whether to bring the schema up to date on opening. Default: true. With false, opening an older schema fails. */
  readonly migrate?: boolean
  /** Maximum wait for locked rows, and for a connection. Default: 5 seconds. A number is milliseconds. */
  readonly lockTimeout?: Duration.Input
  /**
   * Maximum duration of a statement, commits included. Default: 30 seconds. A number is milliseconds. A commit that takes longer
   * may have been carried out and fails with `commit_unknown`, other statements fail with `storage_busy`.
   */
  readonly statementTimeout?: Duration.Input
  /**
   * Maximum wait of a call for PostgreSQL in all, for example during a failover. Default: 10 seconds. A number is milliseconds.
   * Then the call fails with `storage_busy`, or with `commit_unknown` if its changes may have been made.
   */
  readonly timeout?: Duration.Input
  /** Maximum number of open connections. Default: 10. Of a `pool`, as many as it has. */
  readonly maxConnections?: number
  /**
   * Number of groups of transactions that share a commit, and run at a time, so that many callers at once cost little more than
   * one. Default: 1. With 0 each transaction commits alone.
   */
  readonly groups?: number
  /**
   * Whether statements are prepared by name. Default: true. Set it to false for a pooler in transaction mode that does not
   * carry named statements, such as PgBouncer before 1.21: each transaction then also brings its own settings.
   */
  readonly prepare?: boolean
  /**
   * PostgreSQL standby that serves lists, by its URL, outside of transactions. With several hosts, the first that is a standby is used. A
   * list shows everything that any server reported as committed before; if the standby is behind or down, the primary serves it.
   */
  readonly replica?: string
}

interface UrlOptions extends CommonOptions {
  /**
   * `postgres://user:password@host:port/database`, with the parameters that `pg` knows, such as `sslmode`, and the options
   * `prepare` and `maxConnections`. With several hosts, separated by commas, the first one that accepts writes is used.
   */
  readonly url: string
  /** TLS, as `pg` takes it. Default: that of the URL. */
  readonly ssl?: boolean | object
  /** Maximum wait for one PostgreSQL host. Default: 5 seconds. A number is milliseconds. */
  readonly connectTimeout?: Duration.Input
  readonly pool?: never
}

interface PoolOptions extends CommonOptions {
  /** A `Pool` of `pg` of your app. It stays open when the petstore closes. */
  readonly pool: PostgresPool
  readonly url?: never
  readonly ssl?: never
  readonly connectTimeout?: never
}

/** How to open a PostgreSQL store: at a URL, or with a pool of your app. */
export type PostgresOptions = UrlOptions | PoolOptions

export const postgresOptions = {
  url: { schema: Schema.Unknown, sentence: "postgres://user:password@host:port/database" },
  pool: { schema: Schema.Unknown, sentence: "A Pool of pg of your app" },
  ssl: {
    schema: optionOf(
      "true, false or an object of TLS, such as { ca }",
      (value) =>
        typeof value === "boolean" ||
        (typeof value === "object" && value !== null && !Array.isArray(value) && !hasNoFields(value))
    ),
    sentence: "TLS, as pg takes it"
  },
  schema: {
    schema: optionOf(
      "the name of a schema, 1 to 63 bytes long, not one of the server's own (pg_...)",
      (value) =>
        typeof value === "string" &&
        value !== "" &&
        !value.includes("\0") &&
        !value.startsWith("pg_") &&
        new TextEncoder().encode(value).length <= 63
    ),
    default: "petstore",
    sentence: "Schema of the tables"
  },
  migrate: { schema: Schema.Boolean, default: true, sentence: "Whether to bring the schema up to date on opening" },
  lockTimeout: {
    schema: durationOption,
    default: "5 seconds",
    sentence: "Maximum wait for locked rows, and for a connection"
  },
  statementTimeout: {
    schema: durationOption,
    default: "30 seconds",
    sentence: "Maximum duration of a statement, commits included"
  },
  timeout: {
    schema: durationOption,
    default: "10 seconds",
    sentence: "Maximum wait of a call for PostgreSQL in all, for example during a failover"
  },
  connectTimeout: { schema: durationOption, default: "5 seconds", sentence: "Maximum wait for one PostgreSQL host" },
  maxConnections: {
    schema: countOption("a whole number of 1 or more", 1),
    default: 10,
    sentence: "Maximum number of open connections"
  },
  groups: {
    schema: countOption("a whole number of 0 or more", 0),
    default: 1,
    sentence: "Number of groups of transactions that share a commit"
  },
  prepare: { schema: Schema.Boolean, default: true, sentence: "Whether statements are prepared by name" },
  replica: { schema: Schema.Unknown, sentence: "PostgreSQL standby that serves lists" }
} satisfies OptionTable<PostgresOptions>

/** The value of each option that has a default. Durations are in milliseconds. */
export const settingsOf = (options: PostgresOptions) => {
  const { connectTimeout, lockTimeout, statementTimeout, timeout, ...others } = valuesOf(postgresOptions, options)
  return {
    ...others,
    connectTimeout: Duration.toMillis(connectTimeout),
    lockTimeout: Duration.toMillis(lockTimeout),
    statementTimeout: Duration.toMillis(statementTimeout),
    timeout: Duration.toMillis(timeout)
  }
}

const example = '{ url: "postgres://localhost/shop" } or { pool }'

const check = optionsCheck("postgres", example, postgresOptions)

const isUrl = (value: unknown): value is string => typeof value === "string" && /^postgres(?:ql)?:\/\//.test(value)

/** What was passed as a URL, without the text, which may have a password. */
const otherUrl = (value: unknown): string => {
  if (typeof value !== "string") return shown(value)
  const [scheme] = /^[a-z][a-z0-9+.-]*:/i.exec(value) ?? []
  if (value.trim() === "") return "an empty text"
  return scheme === undefined ? "a text that begins without postgres://" : `one that begins with ${scheme}`
}

const isPool = (value: unknown): value is PostgresPool =>
  typeof value === "object" && value !== null && "connect" in value && typeof value.connect === "function"

/** Checks options, which plain JavaScript may pass in any form. Throws a TypeError if they are invalid; it never shows the URL. */
export const optionsOf = (urlOrOptions: string | PostgresOptions): PostgresOptions => {
  const given: PostgresOptions = typeof urlOrOptions === "string" ? { url: urlOrOptions } : urlOrOptions
  if (isPool(given)) throw new TypeError("postgres takes a pool as an option: write postgres({ pool })")
  const options = check(given)
  const { pool, url } = options
  if ((pool === undefined) === (url === undefined))
    throw new TypeError(
      `postgres needs either url or pool, and ${url === undefined ? "neither has" : "both have"} a value; write ${example}`
    )
  if (url !== undefined && !isUrl(url))
    throw new TypeError(`The option url takes a URL such as "postgres://user@localhost/shop", not ${otherUrl(url)}`)
  if (options.replica !== undefined && !isUrl(options.replica))
    throw new TypeError(
      `The option replica takes a URL such as "postgres://user@standby/shop", not ${otherUrl(options.replica)}`
    )
  if (pool !== undefined && !isPool(pool))
    throw new TypeError(`The option pool takes a Pool of the package pg, not ${shown(pool)}`)
  return options.pool === undefined ? withParameters(options) : options
}

const withParameters = (options: UrlOptions): UrlOptions => {
  const parameters = readParameters(options.url)
  const replica = options.replica === undefined ? undefined : readParameters(options.replica)
  if (replica?.prepare !== undefined || replica?.maxConnections !== undefined)
    throw new TypeError("The option replica takes no prepare or maxConnections in its URL: set them in url, for both")
  for (const name of ["prepare", "maxConnections"] as const) {
    if (parameters[name] !== undefined && options[name] !== undefined && parameters[name] !== options[name])
      throw new TypeError(`The option ${name} and the URL say different things. Set one of them.`)
  }
  return { ...options, ...parameters, ...(replica === undefined ? {} : { replica: replica.url }) }
}
