import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type pg from "pg"
import { openHostPool } from "../../../test/support/postgres/hostPool.ts"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { session } from "../../../test/support/postgres/sessions.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import { durability, migrationState, postgres, schemaProblems } from "../index.ts"

type Call = (petstore: Petstore, signal: AbortSignal | undefined) => Promise<unknown>

const calls: Readonly<Record<string, Call>> = {
  "an order": (petstore, signal) => petstore.orders.place({}, { signal }),
  "a list": (petstore, signal) => petstore.orders.list({}, { signal }),
  "a single read": (petstore, signal) => petstore.orders.get(1, { signal }),
  statistics: (petstore, signal) => petstore.stats({ signal }),
  "the end of the log": (petstore, signal) => petstore.events.latest({ signal }),
  "a transaction": (petstore, signal) => petstore.transaction((tx) => tx.orders.place({}), { signal }),
  verification: (petstore, signal) => petstore.verify({ signal })
}

const never = "1 minute"

/** A petstore on a pool of the app, and the app, which takes all of its clients. */
const exhausted = (lockTimeout: string, max = 2) =>
  Effect.gen(function* () {
    const pool = yield* openHostPool({ connectionString: yield* testDatabase, max })
    const options = { pool, lockTimeout: lockTimeout as "1 minute" }
    const petstore = yield* openPostgres(options)
    yield* Effect.promise(() => petstore.orders.place({}))
    const held = yield* Effect.promise(() => Promise.all(Array.from({ length: max }, () => pool.connect())))
    const release = () => {
      for (const client of held.splice(0)) client.release()
    }
    yield* Effect.addFinalizer(() => Effect.sync(release))
    return { options, petstore, pool, release, held }
  })

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "succeeded",
    (error) => error.code ?? error
  )

/** Completes when every client of the pool is free, and nobody waits for one. */
const isWhole = async (pool: pg.Pool): Promise<void> => {
  while (pool.waitingCount > 0 || pool.idleCount < pool.totalCount)
    await new Promise((resolve) => setTimeout(resolve, 5))
}

describe("given an app that holds all clients of the pool that it shares", () => {
  it.live("when calls wait for the lock timeout, then each is rejected, and the pool is whole afterwards", () =>
    Effect.gen(function* () {
      const { petstore, pool, release } = yield* exhausted("500 millis")
      yield* Effect.promise(async () => {
        const callAll = async () => {
          for (const [name, call] of Object.entries(calls)) {
            const { code, message } = await call(petstore, undefined).then(
              () => assert.fail(name),
              (error) => error
            )
            assert.strictEqual(code, "storage_busy", name)
            assert.match(
              message,
              /^The pool of your app had no free client for \d+ ms\. Nothing was changed\. Release/,
              name
            )
          }
          return pool.waitingCount
        }
        const requested = await callAll()
        // Requests that were given up are taken over by the calls behind them.
        assert.strictEqual(await callAll(), requested)
        release()
        await isWhole(pool)
        assert.strictEqual(await codeOf(petstore.orders.place({})), "succeeded")
      })
    })
  )

  it.live("when a call that writes is the first of a second, then it waits no longer than the others", () =>
    Effect.gen(function* () {
      const { petstore } = yield* exhausted("1 second")
      yield* Effect.sleep("1100 millis")
      yield* Effect.promise(async () => {
        const timeOf = async (call: Promise<unknown>) => {
          const began = performance.now()
          assert.strictEqual(await codeOf(call), "storage_busy")
          return performance.now() - began
        }
        const written = await timeOf(petstore.orders.place({}))
        assert.isBelow(written / (await timeOf(petstore.orders.list({}))), 1.6)
      })
    })
  )

  it.live("when a call is aborted, then it is rejected at once, and its client is released when it comes", () =>
    Effect.gen(function* () {
      const { petstore, pool, release } = yield* exhausted(never)
      yield* Effect.promise(async () => {
        for (const [name, call] of Object.entries(calls)) {
          const controller = new AbortController()
          const code = codeOf(call(petstore, controller.signal))
          while (pool.waitingCount === 0) await new Promise(setImmediate)
          controller.abort("mine")
          assert.strictEqual(await code, "mine", name)
        }
        release()
        await isWhole(pool)
        assert.deepStrictEqual(
          (await petstore.orders.list()).items.map(({ id }) => id),
          [1]
        )
      })
    })
  )

  it.live("when it is opened, migrated or examined, then that ends with the timeout, and when it is interrupted", () =>
    Effect.gen(function* () {
      const { options, pool, release } = yield* exhausted("500 millis")
      yield* Effect.promise(async () => {
        assert.strictEqual(await codeOf(createPetstore({ storage: postgres(options) })), "storage_unavailable")
      })
      for (const look of [migrationState, schemaProblems, durability]) {
        const error = yield* Effect.flip(Effect.asVoid<unknown, Error, never>(look(options)))
        assert.match(error.message, /pool of your app had no free client/)
        const fiber = yield* Effect.forkChild(
          Effect.asVoid<unknown, Error, never>(look({ ...options, lockTimeout: never }))
        )
        yield* Effect.sleep(5)
        yield* Fiber.interrupt(fiber)
      }
      release()
      yield* Effect.promise(() => isWhole(pool))
    })
  )

  it.live("when each request calls the petstore beside its client, then all requests end", () =>
    Effect.gen(function* () {
      const { held, petstore, pool } = yield* exhausted("500 millis", 3)
      yield* Effect.promise(async () => {
        const request = async (client: pg.PoolClient) => {
          try {
            await client.query("BEGIN")
            return await codeOf(petstore.orders.place({}))
          } finally {
            await client.query("ROLLBACK")
            client.release()
          }
        }
        const codes = await Promise.all(held.splice(0).map(request))
        // Those behind the first to give up may get its client.
        assert.include(codes, "storage_busy")
        await isWhole(pool)
      })
    })
  )

  it.live("when the client of its transaction is busy, then a call in it ends with the timeout", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* openPostgres({ url, timeout: "1 second" })
      const client = yield* session(url)
      yield* Effect.promise(async () => {
        await client.query("BEGIN")
        const busy = client.query("SELECT pg_sleep(4)").then(() => "the statement of the app")
        const code = codeOf(petstore.orders.place({}, { transaction: client }))
        assert.strictEqual(await Promise.race([code, busy]), "storage_busy")
        await busy
      })
    })
  )

  it.live("when each request calls the petstore in its own transaction, then no other client is needed", () =>
    Effect.gen(function* () {
      const { held, petstore } = yield* exhausted(never, 3)
      yield* Effect.promise(async () => {
        const request = async (client: pg.PoolClient) => {
          await client.query("BEGIN")
          const { id } = await petstore.orders.place({}, { transaction: client })
          await client.query("COMMIT")
          return id
        }
        const ids = await Promise.all(held.map(request))
        assert.lengthOf(new Set(ids), 3)
      })
    })
  )
})
