import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startProgram } from "./program.ts"

/** The ids of the orders and of the invoices of a host. */
interface Sold {
  readonly orders: ReadonlyArray<number>
  readonly invoices: ReadonlyArray<number>
}

/**
 * Ends a host that sells, each order with its invoice, in the middle of a transaction, and then kills it at some moments: each
 * order must have its invoice, and every commit must be kept. `sold` checks every rule, and returns what is there.
 */
export const killSellers = Effect.fnUntraced(function* <E, R>(
  kind: "sqlite" | "postgres",
  place: string,
  sold: Effect.Effect<Sold, E, R>
) {
  const ending = yield* startProgram("sell-with-invoices", kind, place, "4")
  const [started, ...first] = yield* ending.rest
  assert.strictEqual(started, "started")
  assert.lengthOf(first, 3)
  assert.strictEqual(yield* ending.exit, 7)
  const acknowledged = first.map(Number)
  assert.deepStrictEqual(yield* sold, { orders: acknowledged, invoices: acknowledged })
  for (const count of [1, 20, 55]) {
    const seller = yield* startProgram("sell-with-invoices", kind, place)
    assert.strictEqual(yield* seller.line, "started")
    for (let n = 0; n < count; n++) acknowledged.push(Number(yield* seller.line))
    seller.process.kill("SIGKILL")
    assert.strictEqual(yield* seller.exit, "SIGKILL")
    acknowledged.push(...(yield* seller.rest).map(Number))
    const { invoices, orders } = yield* sold
    assert.deepStrictEqual(orders, invoices)
    // At most the one that was being committed beside those that were reported.
    assert.deepStrictEqual(orders.slice(0, acknowledged.length), acknowledged)
    assert.isAtMost(orders.length, acknowledged.length + 1)
    acknowledged.splice(0, acknowledged.length, ...orders)
  }
})
