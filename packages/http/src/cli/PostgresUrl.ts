import type { PostgresOptions } from "@petstore/adapters/postgres"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** A database of a PostgreSQL server, or of several servers of which one accepts writes. */
export interface PostgresDatabase {
  readonly kind: "postgres"
  /** May contain a password. */
  readonly url: Redacted.Redacted<string>
  /** Those of other settings. */
  readonly options: ConnectionOptions
  /** The URL of a standby that serves lists. May contain a password. */
  readonly replica?: Redacted.Redacted<string> | undefined
}

type ConnectionOptions = Pick<
  PostgresOptions,
  "connectTimeout" | "groups" | "lockTimeout" | "statementTimeout" | "timeout"
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

/**
 * Reads a URL such as `postgres://petstore@db.example:5432/shop?sslmode=verify-full`; hosts are separated by commas. The adapter reads
 * its parameters, and rejects those that are wrong.
 */
export const parsePostgresUrl = (text: string): Option.Option<PostgresDatabase> => {
  const [, hosts] = form.exec(text) ?? []
  return hosts === undefined || !isText(text) || !hosts.split(",").every(isPort)
    ? Option.none()
    : Option.some({ kind: "postgres", url: Redacted.make(text), options: {} })
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
