import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { startProgram } from "../../../test/support/program.ts"
import { postgres } from "../postgres.ts"

/** The ids of the orders and of the invoices in a database, after checking every rule. */
const sold = (url: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: postgres(url) })),
        (opened) => Effect.promise(() => opened.close())
      )
      yield* checkInvariants(petstore)
      const ids = (select: string) =>
        Effect.promise(async () => (await query(url, select)).map(({ id }) => Number(id)).toSorted((a, b) => a - b))
      return {
        orders: yield* ids("SELECT id FROM petstore.petstore_orders WHERE state = 'complete'"),
        invoices: yield* ids("SELECT order_id AS id FROM invoices")
      }
    })
  )

/** Waits until the server has noticed that the program is gone: what was on its way may be committed until then. */
const untilAlone = (url: string) =>
  Effect.promise(async () => {
    const others =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    while ((await query(url, others))[0]?.n !== 0) await new Promise((resolve) => setTimeout(resolve, 20))
  })

describe("given a host on PostgreSQL that sells, each order with its invoice", () => {
  it.effect(
    "when it ends in the middle of a transaction, then that transaction has no effect, and earlier ones are kept",
    () =>
      Effect.gen(function* () {
        const url = yield* testDatabase
        const seller = yield* startProgram("sell-on-postgres", url, "4")
        const [started, ...acknowledged] = yield* seller.rest
        assert.strictEqual(started, "started")
        assert.strictEqual(yield* seller.exit, 7)
        yield* untilAlone(url)
        const { invoices, orders } = yield* sold(url)
        assert.deepStrictEqual(orders, acknowledged.map(Number))
        assert.deepStrictEqual(invoices, orders)
      })
  )

  it.effect("when it is killed at any moment, then each order has its invoice, and every commit is kept", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const acknowledged: Array<number> = []
      for (const count of [1, 20, 55]) {
        const seller = yield* startProgram("sell-on-postgres", url)
        assert.strictEqual(yield* seller.line, "started")
        for (let n = 0; n < count; n++) acknowledged.push(Number(yield* seller.line))
        seller.process.kill("SIGKILL")
        assert.strictEqual(yield* seller.exit, "SIGKILL")
        acknowledged.push(...(yield* seller.rest).map(Number))
        yield* untilAlone(url)
        const { invoices, orders } = yield* sold(url)
        assert.deepStrictEqual(orders, invoices)
        // At most the one that was being committed beside those that were reported.
        assert.deepStrictEqual(orders.slice(0, acknowledged.length), acknowledged)
        assert.isAtMost(orders.length, acknowledged.length + 1)
        acknowledged.splice(0, acknowledged.length, ...orders)
      }
    })
  )
})
