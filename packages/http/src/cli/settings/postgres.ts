import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { UsageError } from "../errors.ts"
import { parsePostgresUrl } from "../PostgresUrl.ts"
import { type FlagSetting, wholeNumber } from "../Setting.ts"
import type { StorageChoice } from "./database.ts"

const timeout = {
  metavar: "DURATION",
  expected: "a duration such as 5 seconds or 500 millis",
  parse: (text: string): Option.Option<Duration.Duration> => {
    // Only units: a number alone would be milliseconds.
    const duration = /^[1-9]\d{0,8} (?:milli|second|minute)s?$/.test(text) ? (text as Duration.Input) : undefined
    return duration === undefined ? Option.none() : Duration.fromInput(duration)
  }
} as const

export const lockTimeout: FlagSetting<Duration.Duration> = {
  ...timeout,
  flag: "lock-timeout",
  env: "PETSTORE_LOCK_TIMEOUT",
  default: "5 seconds",
  description: "Maximum wait for locked rows, and for a connection, on PostgreSQL"
}

export const statementTimeout: FlagSetting<Duration.Duration> = {
  ...timeout,
  flag: "statement-timeout",
  env: "PETSTORE_STATEMENT_TIMEOUT",
  default: "30 seconds",
  description: "Maximum duration of a statement, commits included, on PostgreSQL"
}

/** The option `timeout` of the adapter. */
export const storageTimeout: FlagSetting<Duration.Duration> = {
  ...timeout,
  flag: "storage-timeout",
  env: "PETSTORE_STORAGE_TIMEOUT",
  default: "10 seconds",
  description: "Maximum wait of a call for PostgreSQL in all, for example during a failover"
}

export const connectTimeout: FlagSetting<Duration.Duration> = {
  ...timeout,
  flag: "connect-timeout",
  env: "PETSTORE_CONNECT_TIMEOUT",
  default: "5 seconds",
  description: "Maximum wait for one PostgreSQL host"
}

/** Groups of transactions that share a commit. */
export const groups: FlagSetting<number> = {
  ...wholeNumber(0, 100),
  flag: "groups",
  env: "PETSTORE_GROUPS",
  default: "1",
  description: "Number of groups of transactions that share a commit, on PostgreSQL; 0 for one commit per transaction"
}

/** The URL of a standby that serves lists; undefined for none. */
export const replica: FlagSetting<Redacted.Redacted<string> | undefined> = {
  flag: "replica",
  env: "PETSTORE_REPLICA",
  default: "none",
  metavar: "URL|none",
  description: "PostgreSQL standby that serves lists, such as postgres://USER@STANDBY/DATABASE",
  expected: "none, or postgres://USER@HOST/DATABASE",
  parse: (text) => {
    if (text === "none") return Option.some(undefined)
    return Option.map(parsePostgresUrl(text), ({ url }) => url)
  }
}

/** What a server on PostgreSQL may be told beside its database. */
interface PostgresSettings {
  readonly replica: Redacted.Redacted<string> | undefined
  readonly groups: number
  readonly lockTimeout: Duration.Duration
  readonly statementTimeout: Duration.Duration
  readonly storageTimeout: Duration.Duration
  readonly connectTimeout: Duration.Duration
}

const changed = <A>(setting: FlagSetting<A>, value: A): ReadonlyArray<Pick<FlagSetting<A>, "env" | "flag">> =>
  Equal.equals(setting.parse(setting.default), Option.some(value)) ? [] : [setting]

/** Adds the settings to a database of PostgreSQL. Fails if another kind of database is given one, which would have no effect. */
export const withPostgresSettings = (
  storage: StorageChoice,
  chosen: PostgresSettings
): Effect.Effect<StorageChoice, UsageError> => {
  if (storage.kind === "postgres") {
    const { replica, storageTimeout, ...options } = chosen
    return Effect.succeed({ ...storage, options: { ...storage.options, ...options, timeout: storageTimeout }, replica })
  }
  const [first] = [
    ...changed(replica, chosen.replica),
    ...changed(groups, chosen.groups),
    ...changed(lockTimeout, chosen.lockTimeout),
    ...changed(statementTimeout, chosen.statementTimeout),
    ...changed(storageTimeout, chosen.storageTimeout),
    ...changed(connectTimeout, chosen.connectTimeout)
  ]
  return first === undefined
    ? Effect.succeed(storage)
    : Effect.fail(new UsageError({ message: `--${first.flag} and ${first.env} are for PostgreSQL` }))
}
