import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { all } from "../../sql/Program.ts"
import { Connection } from "./Connection.ts"

const listed = all("SELECT id FROM petstore_orders WHERE owner = ? AND id > ? ORDER BY id LIMIT ?", (row) => row)

/** Milliseconds that 500 calls take at best. */
const best = (call: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 10 }, () => {
      const start = performance.now()
      for (let n = 0; n < 500; n++) call()
      return performance.now() - start
    })
  )

describe("given a list whose limit is a parameter", () => {
  it("when it is read again and again, then SQLite plans it once", () => {
    const database = new DatabaseSync(":memory:")
    database.exec("CREATE TABLE petstore_orders (id INTEGER PRIMARY KEY, owner TEXT, state TEXT)")
    for (const columns of ["owner", "state", "owner, state", "state, owner", "id, owner", "id, state"])
      database.exec(`CREATE INDEX "by ${columns}" ON petstore_orders (${columns})`)
    const connection = new Connection(database)
    const planned = database.prepare(listed.sql)
    const ratio = best(() => planned.all("7", 0, 20)) / best(() => connection.perform(listed, ["7", 0, 20]))
    assert.isAbove(ratio, 2, "of a statement that is planned for each limit")
    database.close()
  })
})
