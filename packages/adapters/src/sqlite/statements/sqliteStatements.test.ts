import { deliveries } from "@petstore/core/tables"
import { assert, describe, it } from "vitest"
import { Asked, Changed, Claimed, runNow } from "../../sql/Program.ts"
import { sqliteStatements } from "./sqliteStatements.ts"

describe("the statements for requests", () => {
  it("given rows for one log in two changes, then each gets an id of its own, above those that exist", () => {
    const row = { delivery: { id: 8 }, lease: { fence: 0 } }
    const change = { log: deliveries.name, rows: [row] }
    const ids = [7]
    runNow(sqliteStatements(new Changed([change, change])), (request) => {
      if (!(request instanceof Asked)) return assert.fail("It asked for more than statements")
      if (request.statement.use === "write") ids.push(Number(request.values[0]))
      return request.statement.decode([{ id: ids.at(-1) }])
    })
    assert.deepStrictEqual(ids, [7, 8, 9])
  })

  it("given a name to reserve, then it is reserved without a statement", () => {
    const reserved = runNow(sqliteStatements(new Claimed("categories name", ["dogs"])), () =>
      assert.fail("It asked for a statement")
    )
    assert.isTrue(reserved)
  })
})
