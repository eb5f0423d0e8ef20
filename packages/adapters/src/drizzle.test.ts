import { assert, describe, it } from "@effect/vitest"
import { drizzle } from "@petstore/adapters/drizzle"
import { type SQL, sql } from "drizzle-orm"
import { PgDialect } from "drizzle-orm/pg-core"

/** A transaction on PostgreSQL that returns this, and what its driver is sent. */
const onPostgres = (result: unknown) => {
  const sent: Array<{ readonly sql: string; readonly params: ReadonlyArray<unknown> }> = []
  const execute = async (query: SQL) => {
    const { params, sql } = new PgDialect().sqlToQuery(query)
    sent.push({ sql, params })
    return result
  }
  return { transaction: drizzle({ execute }, sql), sent }
}

describe("given a statement of an adapter for PostgreSQL", () => {
  it("when its values are numbered, in whatever order, then each arrives in its place", async () => {
    const { sent, transaction } = onPostgres({ rows: [{ id: 7 }] })
    const statement = "SELECT id FROM pets WHERE name = $2 AND id > $1 AND (name = $2 OR $10 = 'a')"
    const values = [1, "Rex", 3, 4, 5, 6, 7, 8, 9, null]
    assert.deepStrictEqual(await transaction.rows(statement, values), [{ id: 7 }])
    assert.deepStrictEqual(sent, [
      {
        sql: "SELECT id FROM pets WHERE name = $1 AND id > $2 AND (name = $3 OR $4 = 'a')",
        params: ["Rex", 1, "Rex", null]
      }
    ])
  })

  it("when it has no values, then it is sent as it is", async () => {
    const { sent, transaction } = onPostgres({ rows: [] })
    await transaction.run("SAVEPOINT petstore_part", [])
    assert.deepStrictEqual(sent, [{ sql: "SAVEPOINT petstore_part", params: [] }])
  })

  it("when the driver returns a list, or an object with one, then these are the rows, and nothing else is", async () => {
    const rows = [{ id: 1 }, { id: 2 }]
    for (const result of [rows, { rows, rowCount: 2 }]) {
      assert.deepStrictEqual(await onPostgres(result).transaction.rows("SELECT 1", []), rows)
    }
    for (const result of [undefined, null, 5, {}, { rows: 2 }]) {
      const { transaction } = onPostgres(result)
      const error = await Promise.resolve(transaction.rows("SELECT 1", [])).catch((thrown: unknown) => thrown)
      assert.match(String(error), /returned no rows that the petstore can read/)
    }
  })
})
