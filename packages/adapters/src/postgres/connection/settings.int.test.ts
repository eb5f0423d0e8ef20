import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openHostPool } from "../../../test/support/postgres/hostPool.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import { ConnectionPool } from "./ConnectionPool.ts"
import { sourceOf } from "./sourceOf.ts"

/** What a plan must not depend on, and whether commits are durable. */
const names = ["enable_seqscan", "jit", "synchronous_commit"]
const expected = ["off", "off", "on"]
const select = `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(", ")}`

describe("the settings of a connection", () => {
  it.live("given a connection of our own, then it has them from the beginning", () =>
    Effect.gen(function* () {
      const source = yield* sourceOf({ url: yield* testDatabase })
      const connection = yield* Effect.acquireRelease(
        Effect.promise(() => source.connect()),
        (opened) => Effect.promise(() => source.disconnect(opened))
      )
      const { rows } = yield* Effect.promise(() => connection.query(select))
      assert.deepStrictEqual(Object.values(rows[0] ?? {}), expected)
    })
  )

  it.live("given a pool of the host application, then our transactions have them, and its own do not", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const pool = yield* openHostPool({ connectionString: url, max: 1 })
      const before = yield* Effect.promise(() => pool.query(select))
      const source = yield* sourceOf({ pool })
      const connection = yield* Effect.promise(() => source.connect())
      yield* Effect.promise(() => connection.run(`BEGIN${source.settings}`))
      const { rows } = yield* Effect.promise(() => connection.query(select))
      assert.deepStrictEqual(Object.values(rows[0] ?? {}), expected)
      yield* Effect.promise(() => connection.run("COMMIT"))
      yield* Effect.promise(() => source.disconnect(connection))
      assert.strictEqual(pool.totalCount, 1)
      const after = yield* Effect.promise(() => pool.query(select))
      assert.deepStrictEqual(after.rows, before.rows)
    })
  )

  it.live("given uses one after the other, then the pool of the host application keeps its connection", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const hostPool = yield* openHostPool({ connectionString: url, max: 4 })
      const pool = new ConnectionPool(yield* sourceOf({ pool: hostPool }), 4, 1_000)
      const processId = Effect.promise(() =>
        pool.use(async (connection) => (await connection.query("SELECT pg_backend_pid() AS pid")).rows[0]?.pid)
      )
      assert.strictEqual(yield* processId, yield* processId)
      assert.strictEqual(hostPool.idleCount, 1)
    })
  )

  it.live("given a connection of a pool that broke, then the pool does not keep it", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const pool = yield* openHostPool({ connectionString: url, max: 1 })
      const source = yield* sourceOf({ pool })
      const connection = yield* Effect.promise(() => source.connect())
      connection.break()
      yield* Effect.promise(() => source.disconnect(connection))
      assert.strictEqual(pool.totalCount, 0)
    })
  )
})
