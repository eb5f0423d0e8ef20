import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type pg from "pg"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { session, waitsOrEnds } from "../../../test/support/postgres/sessions.ts"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { PostgresConnection } from "../connection/PostgresConnection.ts"
import { appendEvents, appendStatement, lockLogEnd, numberPending } from "./appendEvents.ts"

const statement = appendStatement("petstore")

const eventsOf = (ids: ReadonlyArray<string>) => {
  const event = {
    type: "pet.deleted",
    subject: "pets/1",
    timestamp: "2026-01-01T00:00:00.000Z",
    data: "{}",
    trace: null
  } as const
  return ids.map((id) => ({ ...event, id }))
}

const numberAll = `BEGIN; ${lockLogEnd("petstore")}; ${numberPending("petstore")}; COMMIT`

/** Appends events with these ids. Returns whether they have their numbers. Fails if it waits for a lock. */
const append = async (client: pg.Client, ...ids: ReadonlyArray<string>): Promise<boolean> => {
  const { text, values } = statement(eventsOf(ids), true)
  await client.query("SET lock_timeout = '500ms'")
  const { rows } = await client.query(text, [...values])
  return rows[0]?.numbered
}

const aLog = Effect.gen(function* () {
  const url = yield* testDatabase
  yield* openPostgres(url)
  const holder = yield* session(url)
  yield* Effect.promise(() => holder.query("BEGIN; SELECT 1 FROM petstore.petstore_log_end FOR UPDATE"))
  const log = () => query(url, "SELECT seq::int AS seq, id FROM petstore.petstore_events ORDER BY seq")
  return { url, holder, other: yield* session(url), log }
})

const numbered = (...ids: ReadonlyArray<string>) => ids.map((id, index) => ({ seq: index + 1, id }))

describe("given a transaction that has the end of the log", () => {
  for (const [count, ids] of Object.entries({ one: ["a"], "many events": ["a", "b", "c", "d", "e"] })) {
    it.live(`when another one appends ${count}, then it does not wait, and they are numbered later`, () =>
      Effect.gen(function* () {
        const { holder, log, other } = yield* aLog
        yield* Effect.promise(async () => {
          assert.strictEqual(await append(other, ...ids), false)
          await holder.query("ROLLBACK")
          assert.deepStrictEqual(await log(), [])
          await other.query(numberAll)
          assert.deepStrictEqual(await log(), numbered(...ids))
        })
      })
    )
  }

  it.live("when pending events are about to be numbered, then it can take and number them itself meanwhile", () =>
    Effect.gen(function* () {
      const { holder, log, other, url } = yield* aLog
      yield* Effect.promise(async () => {
        await append(other, "pending")
        const numbering = other.query(`SET lock_timeout = 0; ${numberAll}`)
        await waitsOrEnds(url, other, numbering)
        assert.strictEqual(await append(holder, "a", "b", "c", "d"), true)
        await holder.query("COMMIT")
        await numbering
        assert.deepStrictEqual(await log(), numbered("pending", "a", "b", "c", "d"))
      })
    })
  )
})

describe("given a server that appends many events at a time", () => {
  it.live("when it finds pending ones, then it leaves its own pending, and numbers what is pending the next time", () =>
    Effect.gen(function* () {
      const { holder, log, other } = yield* aLog
      const server = appendEvents("petstore")
      const connection = new PostgresConnection(other, undefined)
      yield* Effect.promise(async () => {
        await holder.query("ROLLBACK")
        assert.isTrue(await server(connection, eventsOf(["a", "b", "c", "d"])))
        await holder.query("BEGIN; SELECT 1 FROM petstore.petstore_log_end FOR UPDATE")
        assert.isFalse(await append(other, "pending"))
        await holder.query("ROLLBACK")
        assert.isFalse(await server(connection, eventsOf(["e", "f", "g", "h"])))
        assert.deepStrictEqual(await log(), numbered("a", "b", "c", "d"))
        assert.isTrue(await server(connection, eventsOf(["i", "j", "k", "l"])))
        assert.deepStrictEqual(await log(), numbered(..."abcd", "pending", ..."efghijkl"))
        await append(holder, "m")
        assert.isTrue(await server(connection, eventsOf(["n", "o", "p", "q"])))
        assert.deepStrictEqual(await log(), numbered(..."abcd", "pending", ..."efghijklmnopq"))
      })
    })
  )
})

describe("given pending events of transactions that append in turn", () => {
  const appendMany = (client: pg.Client) => append(client, "1", "2", "3", "4")
  const ways = {
    "nothing else is appended": { number: (client: pg.Client) => client.query(numberAll), behind: [] },
    "others are appended": { number: appendMany, behind: ["1", "2", "3", "4"] }
  }
  for (const [title, { behind, number }] of Object.entries(ways)) {
    it.live(`when they are numbered and ${title}, then those of each stay together, in the order of its last one`, () =>
      Effect.gen(function* () {
        const { holder, log, other, url } = yield* aLog
        const another = yield* session(url)
        yield* Effect.promise(async () => {
          await Promise.all([other.query("BEGIN"), another.query("BEGIN")])
          await append(other, "first")
          await append(another, "between")
          await append(other, "second")
          await another.query("COMMIT")
          await other.query("COMMIT")
          await holder.query("ROLLBACK")
          await number(other)
          assert.deepStrictEqual(await log(), numbered("between", "first", "second", ...behind))
        })
      })
    )
  }
})
