import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { StockRules } from "@petstore/core/domain"
import {
  anAffectedPet,
  aProposedOrder,
  arbitraries,
  assertInvariants,
  assertRejects,
  createOpenOrder,
  createStockedPet,
  testPetstore
} from "@petstore/testing"
import { Effect } from "effect"
import { checkEffect, formatCheckFailure } from "effect/Arbitrary"
import { atMostTwoPuppies, ClosedOnSunday, rules, TooManyPuppies } from "./rules.ts"

describe("the rules of the petstore, as functions", () => {
  it("never reserve more than is on hand", async () => {
    const result = await Effect.runPromise(
      checkEffect(arbitraries.stock, (stock) => StockRules.available(stock) <= stock.onHand - stock.reserved)
    )
    assert.equal(formatCheckFailure(result), undefined)
  })
})

describe("a rule of the shop, as a function", () => {
  const puppy = anAffectedPet({ category: { id: 1, name: "Puppies" } })

  for (const [quantity, code] of [
    [2, undefined],
    [3, "too_many_puppies"]
  ] as const) {
    it(`returns ${code} for ${quantity} puppies in one order`, () => {
      const order = { state: "open", petId: puppy.id, quantity } as const
      assert.equal(atMostTwoPuppies(aProposedOrder({ order, pet: puppy }))?.code, code)
    })
  }
})

describe("the rules of the shop, in a petstore", () => {
  it("let no order grow to three puppies", async () => {
    await using petstore = await testPetstore({ rules })
    const { id: categoryId } = await petstore.categories.create({ name: "Puppies" })
    const beagle = await createStockedPet(petstore, { name: "Beagle", categoryId, onHand: 5 })
    const order = await createOpenOrder(petstore, { petId: beagle.id, quantity: 2 })

    await assertRejects(petstore.orders.update(order.id, { quantity: 3 }), TooManyPuppies)

    assert.deepEqual(await petstore.orders.get(order.id), order)
    await assertInvariants(petstore)
  })

  it("let orders ship on Monday, not on Sunday", async () => {
    await using petstore = await testPetstore({ rules, now: "2030-01-06T12:00:00Z" })
    const order = await createOpenOrder(petstore)

    await assertRejects(petstore.orders.complete(order.id), ClosedOnSunday)
    await petstore.clock.advance("1 day")

    assert.equal((await petstore.orders.complete(order.id)).shipDate, "2030-01-07T12:00:00.000Z")
  })
})
