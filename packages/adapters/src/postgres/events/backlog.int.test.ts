import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openHostPool } from "../../../test/support/postgres/hostPool.ts"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { session } from "../../../test/support/postgres/sessions.ts"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { batchSize } from "./appendEvents.ts"

/** Leaves events pending, as transactions of a host application of two events each do. */
const leavePending = (url: string, count: number) =>
  query(
    url,
    `INSERT INTO petstore.petstore_pending (xid, id, type, subject, timestamp, data)
      SELECT ((n / 2) + 1000)::text::xid8, 'evt_' || n, 'pet.deleted', 'pets/1', '2026-01-01T00:00:00.000Z', '{"id":1}'
      FROM generate_series(1, ${count}) AS n`
  )

/** The log, with the number of transactions that have written it. */
const logOf = async (url: string) => {
  const [log] = await query(
    url,
    `SELECT count(*)::int AS events, coalesce(max(seq), 0)::int AS last, count(DISTINCT xmin::text)::int AS transactions,
      coalesce(bool_and(id = 'evt_' || seq), true) AS "inOrder",
      (SELECT count(*)::int FROM petstore.petstore_pending) AS pending FROM petstore.petstore_events`
  )
  return log
}

const caughtUp = async (url: string): Promise<void> => {
  while ((await logOf(url))?.pending !== 0) await setTimeout(20)
}

const aStore = Effect.gen(function* () {
  const url = yield* testDatabase
  const pool = yield* openHostPool({ connectionString: url, max: 4 })
  return { url, pool, petstore: yield* openPostgres({ pool }) }
})

describe("given more pending events than a batch has", () => {
  const count = 2 * batchSize + 10

  it.live(
    "when a reader asks for the first ones, then it waits for one batch, and the others follow by themselves",
    () =>
      Effect.gen(function* () {
        const { petstore, url } = yield* aStore
        yield* Effect.promise(async () => {
          await leavePending(url, count)
          const { items } = await petstore.events.list({ after: 0, limit: 10 })
          assert.deepStrictEqual(
            items.map(({ seq }) => seq),
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
          )
          await caughtUp(url)
          assert.deepStrictEqual(await logOf(url), {
            events: count,
            last: count,
            transactions: 3,
            inOrder: true,
            pending: 0
          })
        })
      })
  )

  it.live("when a reader asks for the last one, then it waits until all have their numbers", () =>
    Effect.gen(function* () {
      const { petstore, url } = yield* aStore
      yield* Effect.promise(async () => {
        await leavePending(url, count)
        assert.strictEqual(await petstore.events.latest(), count)
        assert.deepStrictEqual(await logOf(url), {
          events: count,
          last: count,
          transactions: 3,
          inOrder: true,
          pending: 0
        })
      })
    })
  )

  it.live("when it takes longer than the timeout, then the reader is rejected, and what was numbered stays", () =>
    Effect.gen(function* () {
      const { petstore, pool, url } = yield* aStore
      const impatient = yield* openPostgres({ pool, timeout: 1 })
      yield* Effect.promise(async () => {
        await leavePending(url, count)
        const error = await impatient.events.latest().catch((cause) => cause)
        assert.strictEqual(error.code, "storage_busy")
        assert.strictEqual(await petstore.events.latest(), count)
      })
    })
  )

  it.live("when another batch hangs, then a reader behind it is rejected after its own timeout", () =>
    Effect.gen(function* () {
      const { pool, url } = yield* aStore
      const petstore = yield* openPostgres({ pool, timeout: "1 second" })
      const holder = yield* session(url)
      yield* Effect.promise(async () => {
        await holder.query("BEGIN; SELECT 1 FROM petstore.petstore_log_end FOR UPDATE")
        await leavePending(url, 1)
        const timeOf = async () => {
          const began = performance.now()
          const error = await petstore.events.latest().catch((cause) => cause)
          assert.strictEqual(error.code, "storage_busy")
          return performance.now() - began
        }
        const [first, second] = await Promise.all([timeOf(), timeOf()])
        assert.isBelow(second / first, 1.6)
        await holder.query("ROLLBACK")
      })
    })
  )

  it.live("when commands commit meanwhile, then they do not number them all in passing, and follow in order", () =>
    Effect.gen(function* () {
      const { petstore, url } = yield* aStore
      yield* Effect.promise(async () => {
        await leavePending(url, count)
        await Promise.all(Array.from({ length: 20 }, () => petstore.orders.place({})))
        assert.strictEqual(await petstore.events.latest(), count + 20)
        const log = await logOf(url)
        assert.deepStrictEqual([log?.events, log?.last, log?.pending], [count + 20, count + 20, 0])
        assert.isAtLeast(Number(log?.transactions), 3)
      })
    })
  )

  it.live("when a petstore is opened, then they get their numbers without a reader, and leave nothing to be read", () =>
    Effect.gen(function* () {
      const { pool, url } = yield* aStore
      yield* Effect.promise(() => leavePending(url, 10 * batchSize + 1))
      yield* openPostgres({ pool })
      yield* Effect.promise(async () => {
        await caughtUp(url)
        const select = "SELECT pg_stat_get_vacuum_count('petstore.petstore_pending'::regclass)::int AS vacuums"
        while ((await query(url, select))[0]?.vacuums !== 1) await setTimeout(20)
      })
    })
  )
})

describe("given an app that calls the petstore in its own transactions only", () => {
  it.live("when nobody reads, then its events get their numbers", () =>
    Effect.gen(function* () {
      const { petstore, pool, url } = yield* aStore
      yield* Effect.promise(async () => {
        const client = await pool.connect()
        await client.query("BEGIN")
        await petstore.orders.place({}, { transaction: client })
        await client.query("COMMIT")
        client.release()
        assert.strictEqual((await logOf(url))?.pending, 1)
        await caughtUp(url)
        assert.strictEqual((await logOf(url))?.last, 1)
      })
    })
  )
})

const end =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%petstore_pending%' AND pid <> pg_backend_pid()"

describe("given a backlog, and servers that lose their connections while they number it", () => {
  it.live("when they sell, read and number meanwhile, then the log has no gap, and the order of what happened", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const [first, second] = [yield* openPostgres(url), yield* openPostgres(url)] as const
      const petId = yield* Effect.promise(() => petToSell(first, 100_000))
      const holder = yield* session(url)
      yield* Effect.promise(async () => {
        await holder.query("BEGIN; SELECT 1 FROM petstore.petstore_log_end FOR UPDATE")
        const basket = Array.from({ length: 100 }, () => ({ petId }))
        while (Number((await logOf(url))?.pending) <= batchSize) {
          await Promise.all([first, second].map((petstore) => petstore.orders.placeAll(basket)))
        }
        await holder.query("ROLLBACK")
        const sell = async (petstore: typeof first) => {
          for (let order = 0; order < 20; order++) {
            await petstore.orders.place({ petId }, { idempotencyKey: crypto.randomUUID() }).catch(() => {})
          }
        }
        const kill = async () => {
          for (let round = 0; round < 10; round++) await Promise.all([query(url, end), setTimeout(20)])
        }
        await Promise.all([kill(), ...[first, first, second, second].map(sell)])
        const last = await second.events.latest()
        const log = await logOf(url)
        assert.deepStrictEqual([log?.events, log?.last, log?.pending], [last, last, 0])
        const report = await first.verify()
        assert.isTrue(report.ok, JSON.stringify(report.checks.filter(({ violations }) => violations > 0)))
      })
    })
  )
})
