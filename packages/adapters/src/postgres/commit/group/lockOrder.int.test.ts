import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type pg from "pg"
import { openPostgres, petToSell } from "../../../../test/support/postgres/openPostgres.ts"
import { session, waitsOrEnds } from "../../../../test/support/postgres/sessions.ts"
import { query, testDatabase } from "../../../../test/support/postgres.ts"
import { tableNamed } from "../../../sql/tableText.ts"
import { GroupStatements, type Read } from "./GroupStatements.ts"

const statements = new GroupStatements("petstore")

type Ids = ReadonlyArray<number>

/** The statements that lock several rows, with the table of these. */
const locks: Readonly<Record<string, readonly [table: string, lock: (ids: Ids, waits: boolean) => Read<unknown>]>> = {
  orders: ["orders", (ids, waits) => statements.of("orders").lock(ids, waits)],
  pets: ["pets", (ids, waits) => statements.of("pets").lock(ids, waits)],
  "pets with those of orders": [
    "pets",
    (ids, waits) =>
      statements.of("pets").lockWithThoseOf(ids, { table: tableNamed("orders"), column: "pet_id", keys: ids }, waits)
  ],
  categories: ["categories", (ids, waits) => statements.of("categories").lock(ids, waits)]
}

const ids = [1, 2]

/** Two rows in each table, the session of a group, and another one with the start of a query for one of the rows. */
const twoRows = (table: string) =>
  Effect.gen(function* () {
    const url = yield* testDatabase
    const petstore = yield* openPostgres(url)
    for (const _ of ids) {
      const petId = yield* Effect.promise(() => petToSell(petstore))
      yield* Effect.promise(() => petstore.orders.place({ petId }))
    }
    const [group, other] = [yield* session(url), yield* session(url)]
    const select = `SELECT 1 FROM petstore.petstore_${table} WHERE id = `
    return { url, group, other, select }
  })

const idsOf = ({ rows }: pg.QueryResult) => rows.map(({ id }) => Number(id))

describe("given rows that do not lie in the order of their ids", () => {
  for (const [rows, [table, lock]] of Object.entries(locks)) {
    it.live(`when a group waits for the first of the ${rows}, then it has not locked the second`, () =>
      Effect.gen(function* () {
        const { group, other, select, url } = yield* twoRows(table)
        yield* Effect.promise(async () => {
          // The new version of a row lies behind the others, and a plan may read all of a small table.
          await query(url, `UPDATE petstore.petstore_${table} SET version = version + 1 WHERE id = 1`)
          await group.query("SET enable_indexscan = off; SET enable_bitmapscan = off; BEGIN")
          await other.query(`BEGIN; ${select} 1 FOR UPDATE`)

          const { text, values } = lock(ids, true)
          const locked = group.query(text, [...values])
          await waitsOrEnds(url, group, locked)
          const second = await other.query(`${select} 2 FOR UPDATE NOWAIT`)
          assert.strictEqual(second.rowCount, 1)
          await other.query("COMMIT")
          assert.deepStrictEqual(idsOf(await locked), ids)
        })
      })
    )
  }
})

describe("given a row that another transaction has locked", () => {
  for (const [rows, [table, lock]] of Object.entries(locks)) {
    it.live(`when a group locks ${rows} without waiting, then it gets those that are free`, () =>
      Effect.gen(function* () {
        const { group, other, select } = yield* twoRows(table)
        yield* Effect.promise(async () => {
          await other.query(`BEGIN; ${select} 1 FOR UPDATE`)
          await group.query("SET lock_timeout = '500ms'; BEGIN")
          for (const wanted of [ids, [1], [2]]) {
            const { text, values } = lock(wanted, false)
            assert.deepStrictEqual(idsOf(await group.query(text, [...values])), wanted.includes(2) ? [2] : [])
          }
        })
      })
    )
  }
})
