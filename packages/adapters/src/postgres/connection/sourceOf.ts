import type { StorageError } from "@petstore/core/ports"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { lockTimeoutOf, type PostgresOptions } from "../PostgresOptions.ts"
import { type ConnectionSource, nameOf, ownSource } from "./ConnectionSource.ts"
import { poolSource } from "./poolSource.ts"
import { defaultStatementTimeout } from "./settings.ts"

/** Where the connections of a store come from. */
export const sourceOf = (
  options: PostgresOptions,
  role: "primary" | "any" = "primary"
): Effect.Effect<ConnectionSource, StorageError> => {
  const { connectTimeout = "5 seconds", pool, prepare = true, ssl, url } = options
  const lockTimeout = lockTimeoutOf(options)
  const statementTimeout = Duration.toMillis(options.statementTimeout ?? defaultStatementTimeout)
  return pool === undefined
    ? ownSource(url, {
        role,
        connectTimeout: Duration.toMillis(connectTimeout),
        lockTimeout,
        prepare,
        ssl,
        statementTimeout
      })
    : Effect.succeed(poolSource(pool, lockTimeout, prepare ? nameOf : undefined, statementTimeout))
}

/** Milliseconds to wait for a host of a replica: the primary does its work meanwhile. */
const replicaTimeout = 1000

/** Where the connections to a replica come from. */
export const replicaSource = (url: string, options: PostgresOptions): Effect.Effect<ConnectionSource, StorageError> =>
  ownSource(url, {
    role: "standby",
    connectTimeout: replicaTimeout,
    lockTimeout: lockTimeoutOf(options),
    prepare: options.prepare ?? true,
    ssl: options.ssl
  })
