import { assert, describe, it } from "@effect/vitest"
import { OrderRules, StockRules } from "@petstore/core/domain"
import { memory, Petstore } from "@petstore/core/effect"
import { aNewCategory, aNewOrder, aNewPet, aProposedOrder, arbitraries } from "@petstore/testing"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { atMostTwoPuppies, rules } from "./rules.ts"

describe("the rules of the petstore, as functions", () => {
  it.prop(
    "an order reserves its units, or is rejected if too few are free",
    { stock: arbitraries.stock, quantity: arbitraries.orderQuantity },
    ({ quantity, stock }) => {
      const decision = OrderRules.place(aNewOrder({ quantity }), () => stock, "2030-01-01T00:00:00.000Z")
      if (Result.isFailure(decision)) return StockRules.available(stock) < quantity
      const [after] = decision.success.stocks
      return after?.change.stock.reserved === stock.reserved + quantity
    }
  )
})

describe("a rule of the shop, as a function", () => {
  it.prop("allows any number of other dogs", { quantity: arbitraries.orderQuantity }, ({ quantity }) => {
    const order = { state: "open", petId: 1, quantity } as const
    return atMostTwoPuppies(aProposedOrder({ order })) === undefined
  })
})

describe("the rules of the shop, in a petstore", () => {
  const shop = Effect.gen(function* () {
    const petstore = yield* Petstore
    const { id: categoryId } = yield* petstore.categories.create(aNewCategory({ name: "Puppies" }))
    const { id: petId } = yield* petstore.pets.create(aNewPet({ name: "Beagle", categoryId }))
    yield* petstore.inventory.set(petId, 5)
    return { ...petstore, petId }
  })

  it.effect("let no order grow to three puppies", () =>
    Effect.gen(function* () {
      const { orders, petId, verify } = yield* shop
      const order = yield* orders.place({ petId, quantity: 2 })
      const error = yield* Effect.flip(orders.update(order.id, { quantity: 3 }))
      assert.strictEqual(error.code, "too_many_puppies")
      assert.deepStrictEqual(yield* orders.get(order.id), order)
      assert.isTrue((yield* verify).ok)
    }).pipe(Effect.provide(Petstore.layer(memory(), { rules })))
  )

  it.effect("let orders ship on Monday, not on Sunday", () =>
    Effect.gen(function* () {
      const { orders, petId } = yield* shop
      const { id } = yield* orders.place({ petId })
      yield* TestClock.setTime(Date.parse("2030-01-06T12:00:00Z"))
      assert.strictEqual((yield* Effect.flip(orders.complete(id))).code, "closed_on_sunday")
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* orders.complete(id)).shipDate, "2030-01-07T12:00:00.000Z")
    }).pipe(Effect.provide(Petstore.layer(memory(), { rules })))
  )
})
