import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"

/** A pool as an app has it: it listens to errors, since a connection may be lost while nobody uses it. */
export const hostPool = (config: pg.PoolConfig): pg.Pool => {
  const pool = new pg.Pool(config)
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
  return pool
}

export const openHostPool = (config: pg.PoolConfig): Effect.Effect<pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => hostPool(config)),
    (pool) => Effect.promise(() => pool.end())
  )
