import type { StorageError } from "@petstore/core/ports"
import * as Exit from "effect/Exit"
import type { Value } from "../../sql/Value.ts"
import type { Result } from "../connection/PostgresConnection.ts"

// The timers stay real where a test replaces the global ones.
const { setTimeout } = globalThis

/** Milliseconds that a name is waited for. */
export const claimTimeoutMillis = 3_000

/** The name is hashed: two names that collide wait for each other, and nothing else happens. */
const tryLock = "SELECT pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1, 0)) AS locked"

/**
 * Reserves a name until the transaction ends, since a row that does not exist cannot be locked. Returns false if another transaction holds it for 3 seconds: the transaction
 * can then go on, which an error of the server would end.
 */
export const claimName = async (
  query: (text: string, values: ReadonlyArray<string>) => Promise<Exit.Exit<Result, StorageError>>,
  name: string
): Promise<Exit.Exit<boolean, StorageError>> => {
  const until = performance.now() + claimTimeoutMillis
  for (;;) {
    const exit = await query(tryLock, [name])
    if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
    if (exit.value.rows[0]?.locked === true) return Exit.succeed(true)
    if (performance.now() >= until) return Exit.succeed(false)
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20))
  }
}

/** The text that an advisory lock on a name with values is taken for. Stores in different schemas do not wait for each other. */
export const claimOf = (schema: string, name: string, values: ReadonlyArray<Value>): string =>
  JSON.stringify([schema, name, ...values])
