import { hash } from "node:crypto"
import { InternalError, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { OwnDriverClient } from "./driver.ts"
import { firstSuccess } from "./firstSuccess.ts"
import { PostgresConnection, type StatementNames } from "./PostgresConnection.ts"
import { usePasswordFile } from "./passwordFile.ts"
import { latenessMillis, sessionSettings } from "./settings.ts"
import { bindsChannel } from "./urlParameters.ts"

/** Where connections come from. */
export interface ConnectionSource {
  /** How messages name the database. */
  readonly address: string
  /** What every transaction must begin with, because the connection may have served others since. */
  readonly settings: string
  /** `deadline`: a time of `performance.now()` until which it waits for a client of the host application. */
  readonly connect: (deadline?: number) => Promise<PostgresConnection>
  /** Closes a connection, or gives it back to the pool of the host application. */
  readonly disconnect: (connection: PostgresConnection) => Promise<void>
  /** Whether the process waits for what goes on on a connection. An idle one does not keep it running. */
  readonly hold: (connection: PostgresConnection, held: boolean) => void
  /** Whether idle connections are kept for the next use. */
  readonly keepsIdle: boolean
}

type Role = "primary" | "standby" | "any"

/** Settings of connections that the adapter opens. */
interface ConnectionSettings {
  /** Which of the hosts to use: the first that accepts writes, the first that only reads, or the first. Default: the first that accepts writes. */
  readonly role?: Role
  /** Milliseconds to wait for one host. */
  readonly connectTimeout: number
  /** Milliseconds that a statement waits for a lock. */
  readonly lockTimeout: number
  /** Milliseconds that a statement may take. */
  readonly statementTimeout: number
  /** Whether statements are prepared by name, and settings last as long as the connection. */
  readonly prepare: boolean
  readonly ssl?: unknown
}

const namesByText = new Map<string, string>()

/** Statements have the same name everywhere, so that connections that a pooler shares agree. */
export const nameOf: StatementNames = (text) => {
  let name = namesByText.get(text)
  if (name === undefined) {
    name = `petstore_${hash("sha1", text).slice(0, 24)}`
    namesByText.set(text, name)
  }
  return name
}

const notInstalled = 'PostgreSQL needs the package "pg". Install it: npm install pg'

/** The package `pg`, as far as the adapter uses it. */
interface Driver {
  readonly Client: new (config: object) => OwnDriverClient
}

/** Loads the driver on first use: apps with other storages need not install it. */
const loadDriver: Effect.Effect<Driver, InternalError> = Effect.tryPromise({
  try: async () => (await import("pg")).default,
  catch: (cause) => new InternalError({}, { message: notInstalled, cause })
})

const urlPattern = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * The URLs of the single hosts of a URL with several, such as `postgres://user@one:5432,two:5432/shop`, in their order. A URL
 * with one host, or with a socket, stays as it is.
 */
export const urlsOf = (url: string): ReadonlyArray<string> => {
  const [, start = "", hosts = "", rest = ""] = urlPattern.exec(url) ?? []
  return hosts.includes(",") ? hosts.split(",").map((host) => `${start}${host}${rest}`) : [url]
}

/** Host, port and database of a URL, without user and password, for messages. */
export const addressOf = (url: string): string => {
  const [, , hosts = "", rest = ""] = urlPattern.exec(url) ?? []
  const address = `${hosts}${rest.replace(/[?#].*$/s, "")}`
  // A password with a slash looks like the end of the host.
  return address.includes("@") ? "the database" : address
}

// The timers stay real where a test replaces the global ones: the server does not know of them.
const { clearTimeout, setTimeout } = globalThis

const invalidUrl =
  "The URL of the database is invalid. Write it as postgres://user:password@host:port/database, with characters such as / and # of the password percent-encoded."

const isInRecovery = "SELECT pg_catalog.pg_is_in_recovery() AS standby"

const newClient = (
  Client: Driver["Client"],
  connectionString: string,
  connectTimeout: number,
  ssl: ConnectionSettings["ssl"]
): OwnDriverClient => {
  try {
    const client = new Client({
      connectionString,
      enableChannelBinding: bindsChannel(connectionString),
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      fallback_application_name: "petstore",
      pipeline: true,
      ...(ssl === undefined ? {} : { ssl })
    })
    usePasswordFile(client)
    return client
  } catch {
    // The error of the driver may contain the URL, and so the password.
    throw new InternalError({}, { message: invalidUrl })
  }
}

/** Opens connections to the first host of a URL that has the role. */
export const ownSource = (
  url: string,
  { connectTimeout, lockTimeout, prepare, role = "primary", ssl, statementTimeout }: ConnectionSettings
): Effect.Effect<ConnectionSource, StorageError> =>
  Effect.map(loadDriver, ({ Client }) => {
    const urls = urlsOf(url)
    const address = addressOf(url)
    const settings = sessionSettings(lockTimeout, statementTimeout)
    const clients = new Map<PostgresConnection, OwnDriverClient>()
    /** The host that had the role last, which is tried first. */
    let preferred = 0

    const clientOf = (connectionString: string) => newClient(Client, connectionString, connectTimeout, ssl)

    const connectTo = async (connectionString: string): Promise<PostgresConnection> => {
      const client = clientOf(connectionString)
      const connection = new PostgresConnection(client, prepare ? nameOf : undefined, statementTimeout + latenessMillis)
      try {
        connection.expire(performance.now() + connectTimeout)
        await client.connect()
        const [{ rows }] = await Promise.all([
          connection.query(isInRecovery),
          prepare ? connection.run(settings.session) : undefined
        ])
        if (role !== "any" && rows[0]?.standby !== (role === "standby")) {
          throw new OtherRole(`${addressOf(connectionString)} is ${role === "standby" ? "no" : "a"} standby`)
        }
        connection.expire()
      } catch (cause) {
        connection.break()
        endSoon(client).catch(() => {})
        throw cause
      }
      clients.set(connection, client)
      return connection
    }

    const disconnect = async (connection: PostgresConnection): Promise<void> => {
      const client = clients.get(connection)
      clients.delete(connection)
      if (client !== undefined) await endSoon(client)
    }

    const connect = async (): Promise<PostgresConnection> => {
      const attempts = urls.map((one) => () => connectTo(one))
      const { index, result } = await firstSuccess(attempts, preferred, (late) => void disconnect(late)).catch(
        (cause: AggregateError) => {
          throw reasonOf(cause, address, role)
        }
      )
      // Another server has taken over: what the one before still returns may be out of date.
      if (index !== preferred && role === "primary") {
        for (const connection of clients.keys()) if (connection !== result) connection.break()
      }
      preferred = index
      return result
    }

    return {
      address,
      settings: prepare ? "" : settings.transaction,
      connect,
      disconnect,
      hold: (connection, held) => {
        const client = clients.get(connection)
        if (client === undefined || !isHoldable(client)) return
        if (held) client.ref()
        else client.unref()
      },
      keepsIdle: true
    }
  })

/** Milliseconds that closing a connection may take, for example if the network drops everything. */
const goodbyeMillis = 2_000

const endSoon = async (client: OwnDriverClient): Promise<void> => {
  const timer = setTimeout(() => client.connection?.stream?.destroy(), goodbyeMillis)
  try {
    await client.end()
  } finally {
    clearTimeout(timer)
  }
}

interface Holdable {
  ref(): void
  unref(): void
}

const isHoldable = (client: object): client is Holdable => "ref" in client && "unref" in client

class OtherRole extends Error {}

/** Why none of the hosts could be used. */
const reasonOf = ({ errors }: AggregateError, address: string, role: Role): unknown => {
  const failure: unknown = errors.find((cause) => !(cause instanceof OtherRole))
  if (failure !== undefined) return failure
  const message =
    role === "standby"
      ? `No server of ${address} is a standby.`
      : `No server of ${address} accepts writes: each is a standby.`
  return new StorageUnavailable({}, { message, cause: errors[0] })
}
