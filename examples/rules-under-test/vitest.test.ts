import { InsufficientStock } from "@petstore/core"
import { OrderRules, StockRules } from "@petstore/core/domain"
import {
  aNewOrder,
  anAffectedPet,
  aProposedOrder,
  aStock,
  assertInvariants,
  assertRejects,
  createOpenOrder,
  createStockedPet,
  testPetstore
} from "@petstore/testing"
import { Result } from "effect"
import { describe, expect, test } from "vitest"
import { atMostTwoPuppies, ClosedOnSunday, rules, TooManyPuppies } from "./rules.ts"

describe("the rules of the petstore, as functions", () => {
  test("a pet whose units are all reserved is pending", () => {
    expect(StockRules.statusOf(aStock({ onHand: 3, reserved: 3 }))).toBe("pending")
  })

  test("an order for more units than are free is rejected, and the error says how many are free", () => {
    const stock = aStock({ onHand: 5, reserved: 3 })
    const decision = OrderRules.place(aNewOrder({ quantity: 3 }), () => stock, "2030-01-01T00:00:00.000Z")
    expect(Result.getFailure(decision)).toMatchObject({
      value: { code: "insufficient_stock", details: { available: 2 } }
    })
  })
})

describe("a rule of the shop, as a function", () => {
  const puppy = anAffectedPet({ category: { id: 1, name: "Puppies" } })

  test.each([
    { quantity: 2, code: undefined },
    { quantity: 3, code: "too_many_puppies" }
  ])("for $quantity puppies in one order it returns $code", ({ code, quantity }) => {
    const order = { state: "open", petId: puppy.id, quantity } as const
    expect(atMostTwoPuppies(aProposedOrder({ order, pet: puppy }))?.code).toBe(code)
  })
})

describe("the rules of the shop, in a petstore", () => {
  test("an order may not grow to three puppies", async () => {
    await using petstore = await testPetstore({ rules })
    const { id: categoryId } = await petstore.categories.create({ name: "Puppies" })
    const beagle = await createStockedPet(petstore, { name: "Beagle", categoryId, onHand: 5 })
    const order = await createOpenOrder(petstore, { petId: beagle.id, quantity: 2 })

    await assertRejects(petstore.orders.update(order.id, { quantity: 3 }), TooManyPuppies)

    expect(await petstore.orders.get(order.id)).toEqual(order)
    expect(await petstore.inventory.get(beagle.id)).toMatchObject({ quantity: 5, reserved: 2 })
    await assertInvariants(petstore)
  })

  test("an order ships on Monday, not on Sunday", async () => {
    await using petstore = await testPetstore({ rules, now: "2030-01-06T12:00:00Z" })
    const order = await createOpenOrder(petstore)

    await assertRejects(petstore.orders.complete(order.id), ClosedOnSunday)
    await petstore.clock.advance("1 day")

    expect(await petstore.orders.complete(order.id)).toMatchObject({ shipDate: "2030-01-07T12:00:00.000Z" })
  })

  test("of ten customers who want the last unit, one gets it", async () => {
    await using petstore = await testPetstore({ rules })
    const { id: petId } = await createStockedPet(petstore, { onHand: 1 })

    const orders = await Promise.allSettled(Array.from({ length: 10 }, () => petstore.orders.place({ petId })))

    expect(orders.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const { details } = await assertRejects(petstore.orders.place({ petId }), InsufficientStock)
    expect(details.available).toBe(0)
    await assertInvariants(petstore)
  })
})
