import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { UsageError } from "./errors.ts"
import type { FlagSetting } from "./Setting.ts"
import * as settings from "./settings.ts"

/** What a server on PostgreSQL may be told beside its database. */
export interface PostgresSettings {
  readonly replica: Redacted.Redacted<string> | undefined
  readonly groups: number
  readonly lockTimeout: Duration.Duration
  readonly statementTimeout: Duration.Duration
  readonly storageTimeout: Duration.Duration
  readonly connectTimeout: Duration.Duration
}

/** The setting, if a value is not its default. */
const changed = <A>(setting: FlagSetting<A>, value: A): ReadonlyArray<Pick<FlagSetting<A>, "env" | "flag">> =>
  Equal.equals(setting.parse(setting.default), Option.some(value)) ? [] : [setting]

/** Adds the settings to a database of PostgreSQL. Fails if another kind of database is given one, which would have no effect. */
export const withPostgresSettings = (
  storage: settings.StorageChoice,
  { connectTimeout, groups, lockTimeout, replica, statementTimeout, storageTimeout }: PostgresSettings
): Effect.Effect<settings.StorageChoice, UsageError> => {
  if (storage.kind === "postgres") {
    const options = { groups, lockTimeout, statementTimeout, timeout: storageTimeout, connectTimeout }
    return Effect.succeed({ ...storage, options: { ...storage.options, ...options }, replica })
  }
  const [first] = [
    ...changed(settings.replica, replica),
    ...changed(settings.groups, groups),
    ...changed(settings.lockTimeout, lockTimeout),
    ...changed(settings.statementTimeout, statementTimeout),
    ...changed(settings.storageTimeout, storageTimeout),
    ...changed(settings.connectTimeout, connectTimeout)
  ]
  return first === undefined
    ? Effect.succeed(storage)
    : Effect.fail(new UsageError({ message: `--${first.flag} and ${first.env} are for PostgreSQL` }))
}
