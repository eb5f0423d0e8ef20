import { assert, describe, it } from "@effect/vitest"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openDatabase, openGuest } from "../../../test/support/host.ts"
import { startProgram } from "../../../test/support/program.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"

/** The ids of the orders and of the invoices in a file, after checking every rule. */
const sold = (file: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const db = yield* openDatabase(file)
      const petstore = yield* openGuest(db)
      yield* checkInvariants(petstore)
      const ids = (select: string) =>
        db
          .prepare(select)
          .all()
          .map(({ id }) => Number(id))
      return {
        orders: ids("SELECT id FROM petstore_orders WHERE state = 'complete'"),
        invoices: ids("SELECT order_id AS id FROM invoices")
      }
    })
  )

describe("given a host that sells, each order with its invoice", () => {
  it.effect(
    "when it ends in the middle of a transaction, then that transaction has no effect, and earlier ones are kept",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const seller = yield* startProgram("sell-with-invoices", file, "4")
        assert.deepStrictEqual(yield* seller.rest, ["started", "1", "2", "3"])
        assert.strictEqual(yield* seller.exit, 7)
        assert.deepStrictEqual(yield* sold(file), { orders: [1, 2, 3], invoices: [1, 2, 3] })
      })
  )

  it.effect("when it is killed at any moment, then each order has its invoice, and every commit is kept", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const acknowledged: Array<number> = []
      for (const count of [1, 20, 55]) {
        const seller = yield* startProgram("sell-with-invoices", file)
        assert.strictEqual(yield* seller.line, "started")
        for (let n = 0; n < count; n++) acknowledged.push(Number(yield* seller.line))
        seller.process.kill("SIGKILL")
        assert.strictEqual(yield* seller.exit, "SIGKILL")
        acknowledged.push(...(yield* seller.rest).map(Number))
        const { invoices, orders } = yield* sold(file)
        assert.deepStrictEqual(orders, invoices)
        // At most the one that was being committed beside those that were said to be.
        assert.deepStrictEqual(orders.slice(0, acknowledged.length), acknowledged)
        assert.isAtMost(orders.length, acknowledged.length + 1)
        acknowledged.splice(0, acknowledged.length, ...orders)
      }
    })
  )
})
