import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { type PostgresOptions, settingsOf } from "../PostgresOptions.ts"
import { type ConnectionSource, nameOf, ownSource } from "./ConnectionSource.ts"
import { poolSource } from "./poolSource.ts"

/** Where the connections of a store come from. */
export const sourceOf = (
  options: PostgresOptions,
  role: "primary" | "any" = "primary"
): Effect.Effect<ConnectionSource, StorageError> => {
  const { pool, ssl, url } = options
  const { connectTimeout, lockTimeout, prepare, statementTimeout } = settingsOf(options)
  return pool === undefined
    ? ownSource(url, { role, connectTimeout, lockTimeout, prepare, ssl, statementTimeout })
    : Effect.succeed(poolSource(pool, lockTimeout, prepare ? nameOf : undefined, statementTimeout))
}

/** Milliseconds to wait for a host of a replica: the primary does its work meanwhile. */
const replicaTimeoutMillis = 1000

/** Where the connections to a replica come from. */
export const replicaSource = (url: string, options: PostgresOptions): Effect.Effect<ConnectionSource, StorageError> => {
  const { lockTimeout, prepare, statementTimeout } = settingsOf(options)
  return ownSource(url, {
    role: "standby",
    connectTimeout: replicaTimeoutMillis,
    lockTimeout,
    prepare,
    ssl: options.ssl,
    statementTimeout
  })
}
