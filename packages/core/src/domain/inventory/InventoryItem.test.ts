import { assert, describe, it } from "@effect/vitest"
import { stock } from "../../../testing/src/arbitraries.ts"
import { aStock } from "../../../testing/src/builders.ts"
import { sameInventory, toInventoryItem } from "./InventoryItem.ts"

describe("the inventory item that callers see", () => {
  it("counts reserved units in its quantity", () => {
    assert.deepStrictEqual(toInventoryItem(7, aStock({ onHand: 5, reserved: 2 })), {
      petId: 7,
      quantity: 5,
      status: "available",
      reserved: 2,
      available: 3
    })
  })

  it("offers nothing of a pet on hold", () => {
    assert.deepStrictEqual(toInventoryItem(7, aStock({ onHand: 5, reserved: 2, held: true })), {
      petId: 7,
      quantity: 5,
      status: "pending",
      reserved: 2,
      available: 0
    })
  })

  it.prop(
    "is the same exactly where two stocks count as the same",
    { a: stock, b: stock },
    ({ a, b }) => {
      const alike = JSON.stringify(toInventoryItem(7, a)) === JSON.stringify(toInventoryItem(7, b))
      assert.strictEqual(sameInventory(a, b), alike)
      assert.isTrue(sameInventory(a, { ...a }))
    },
    { arbitrary: { runs: 100 } }
  )

  it("is the same for a hold on a pet whose units are all reserved", () => {
    const reserved = aStock({ onHand: 2, reserved: 2 })
    assert.isTrue(sameInventory(reserved, { ...reserved, held: true }))
    assert.isFalse(sameInventory(aStock({ onHand: 2 }), aStock({ onHand: 2, held: true })))
  })
})
