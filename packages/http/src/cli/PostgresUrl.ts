import type { PostgresOptions } from "@petstore/adapters/postgres"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** A database of a PostgreSQL server, or of several servers of which one accepts writes. */
export interface PostgresDatabase {
  readonly kind: "postgres"
  /** May contain a password. */
  readonly url: Redacted.Redacted<string>
  /** Those of the adapter that the URL contained as parameters, and those of other settings. */
  readonly options: ConnectionOptions
  /** The URL of a standby that serves lists. May contain a password. */
  readonly replica?: Redacted.Redacted<string> | undefined
}

type ConnectionOptions = Pick<
  PostgresOptions,
  "connectTimeout" | "groups" | "lockTimeout" | "maxConnections" | "prepare" | "statementTimeout" | "timeout"
>

const user = "(?:[^/?#]*@)?"
const host = String.raw`(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+|%2[Ff][^/?#:,@]*)?(?::\d{1,5})?`
const form = new RegExp(`^postgres(?:ql)?://${user}(${host}(?:,${host})*)(?:/([^/?#]*))?(?:\\?([^#]*))?$`)

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const isText = (text: string): boolean => decoded(text) !== undefined && !/[\s\p{Cc}]/u.test(text)

const isPort = (part: string): boolean => {
  const port = /:(\d+)$/.exec(part.replace(/^\[.*\]/, ""))?.[1]
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)
}

/** The options among the parameters; undefined if one is invalid. */
const optionsIn = (parameters: URLSearchParams): ConnectionOptions | undefined => {
  const prepare = parameters.get("prepare")
  const maxConnections = parameters.get("maxConnections")
  if (prepare !== null && prepare !== "true" && prepare !== "false") return undefined
  if (maxConnections !== null && !/^[1-9]\d{0,3}$/.test(maxConnections)) return undefined
  return {
    ...(prepare === null ? {} : { prepare: prepare === "true" }),
    ...(maxConnections === null ? {} : { maxConnections: Number(maxConnections) })
  }
}

const isOption = (parameter: string): boolean => /^(?:prepare|maxConnections)=/.test(parameter)

/**
 * Reads a URL such as `postgres://petstore@db.example:5432/shop?sslmode=verify-full`; hosts are separated by commas. The
 * parameters `prepare` and `maxConnections` are options of the adapter, all others are for the driver.
 */
export const parsePostgresUrl = (text: string): Option.Option<PostgresDatabase> => {
  const [, hosts, , query = ""] = form.exec(text) ?? []
  const options = optionsIn(new URLSearchParams(query))
  if (hosts === undefined || options === undefined || !isText(text) || !hosts.split(",").every(isPort)) {
    return Option.none()
  }
  const others = query.split("&").filter((parameter) => !isOption(parameter))
  const start = query === "" ? text : text.slice(0, -query.length - 1)
  const url = others.join("") === "" ? start : `${start}?${others.join("&")}`
  return Option.some({ kind: "postgres", url: Redacted.make(url), options })
}

const withPort = (part: string, port: string): string => {
  if (part.startsWith("/")) return part
  return /:\d+$/.test(part.replace(/^\[.*\]/, "")) ? part : `${part}:${port}`
}

/**
 * Describes where a URL leads: hosts with their ports, and the database, as `pg` completes them from `PGHOST`, `PGPORT`, `PGUSER`
 * and `PGDATABASE`. Shows no user and no password.
 */
export const placeOf = (
  { url }: Pick<PostgresDatabase, "url">,
  environment: Readonly<Record<string, string | undefined>> = process.env
): string => {
  const text = Redacted.value(url)
  const [, hosts = "", path = "", query = ""] = form.exec(text) ?? []
  const parameters = new URLSearchParams(query)
  const account = decoded(/:\/\/([^:@/?#]*)(?::[^/?#]*)?@/.exec(text)?.[1] ?? "")
  const port = parameters.get("port") ?? (environment.PGPORT || "5432")
  const named = parameters.get("host") ?? (decoded(hosts) || environment.PGHOST || "localhost")
  const database = decoded(path) || environment.PGDATABASE || account || environment.PGUSER || environment.USER
  const places = named.split(",").map((part) => withPort(part, port))
  return `${places.join(", ")}, database ${database ?? "of the user"}`
}
