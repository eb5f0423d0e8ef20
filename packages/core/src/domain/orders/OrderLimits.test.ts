import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { OrderContent } from "./Order.ts"
import { checkOrderLimits, mostCounted, type OrderLimits, OwnerHoldings } from "./OrderLimits.ts"

const open = (quantity: number): OrderContent => ({ state: "open", petId: 1, quantity })
const draft: OrderContent = { state: "draft" }

/** The details of the rejection of a change, or what the owner holds without the order. */
const counted = (
  limits: OrderLimits,
  orders: ReadonlyArray<OrderContent>,
  after: OrderContent,
  before?: OrderContent
) => {
  const result = new OwnerHoldings(limits, orders).count({ order: after, stocks: [], facts: ["updated"] }, before)
  return Result.isFailure(result) ? result.failure.details : result.success.held
}

describe("given what an owner holds", () => {
  it("when a change adds more than the limit, then it is rejected with the numbers", () => {
    const limits = { openOrders: 2, reservedUnits: 10, drafts: 1 }
    const full = { limit: "openOrders" as const, maximum: 2, held: 2, requested: 1 }
    assert.deepStrictEqual(counted(limits, [open(1), open(1)], open(1)), full)
    assert.deepStrictEqual(counted(limits, [open(8)], open(3)), {
      limit: "reservedUnits",
      maximum: 10,
      held: 8,
      requested: 3
    })
    assert.deepStrictEqual(counted(limits, [draft], draft), { limit: "drafts", maximum: 1, held: 1, requested: 1 })
    assert.deepStrictEqual(counted(limits, [open(1), open(1), draft], open(1), draft), full)
  })

  it("when a change adds nothing, then it is allowed, however much they hold", () => {
    const limits = { openOrders: 1, reservedUnits: 1, drafts: 0 }
    const held = { openOrders: 1, reservedUnits: 5, drafts: 1 }
    const orders = [open(5), open(9), draft]
    for (const after of [open(8), open(9), { ...open(9), state: "complete" as const }]) {
      assert.deepStrictEqual(counted(limits, orders, after, open(9)), held)
    }
  })

  it("when they hold more orders than are counted, then units are added to none of them", () => {
    const many = Array.from({ length: mostCounted + 1 }, () => open(1))
    assert.deepStrictEqual(counted({ reservedUnits: 9_000 }, many, open(2), open(1)), {
      limit: "reservedUnits",
      maximum: 9_000,
      held: mostCounted + 1,
      requested: 1
    })
    assert.property(counted({}, many, open(2), open(1)), "drafts")
  })
})

describe("given limits that are none", () => {
  for (const [limits, message] of [
    [{ openOrders: 1_001 }, /openOrders takes a whole number from 0 to 1000, not 1001/],
    [{ drafts: -1 }, /drafts takes a whole number from 0 to 1000, not -1/],
    [{ reservedUnits: 1.5 }, /reservedUnits takes a whole number of units, not 1.5/],
    [{ of: "staff" }, /of takes "everyone" or "customers", not "staff"/],
    [
      { orders: 1 },
      /orderLimits does not know the option orders; did you mean openOrders\? It takes openOrders, reservedUnits, drafts, of/
    ]
  ] as const) {
    it(`when they are ${JSON.stringify(limits)}, then a TypeError says what they take`, () => {
      assert.throws(() => checkOrderLimits(limits as OrderLimits), TypeError, message)
    })
  }
})
