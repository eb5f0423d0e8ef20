import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Principal } from "../../domain/access/Principal.ts"
import { limits } from "../../domain/limits.ts"
import { mostCounted } from "../../domain/orders/OrderLimits.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { createPetstore } from "../../petstore/createPetstore.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"

describe("given limits of orders", () => {
  it("when none has a number, then an owner may hold 1,000 open orders and as many drafts, and no more", async () => {
    await using petstore = await createPetstore({ orderLimits: {} })
    const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
    const { id: petId } = await petstore.pets.create({ name: "Tom", categoryId })
    await petstore.inventory.set(petId, 5_000)
    const { orders } = petstore.as({ user: "ada" })
    for (const [limit, order] of [
      ["openOrders", { petId }],
      ["drafts", {}]
    ] as const) {
      const many = Array.from({ length: limits.orders }, () => order)
      for (let held = 0; held < mostCounted; held += many.length) await orders.placeAll(many)
      const failure = await orders.place(order).catch((error) => error)
      assert.deepStrictEqual(failure.details, { limit, maximum: mostCounted, held: mostCounted, requested: 1 })
    }
  })

  it.effect("when somebody changes an order of the store itself, then it is not counted as theirs", () => {
    const changed = Effect.gen(function* () {
      const { categories, inventory, orders, pets } = yield* Petstore
      const { id: categoryId } = yield* categories.create({ name: "Cats" })
      const { id: petId } = yield* pets.create({ name: "Tom", categoryId })
      yield* inventory.set(petId, 9)
      const { id } = yield* orders.place({ petId })
      const clerk = { accountId: 7, actor: "key:7" }
      return yield* Effect.provideService(orders.update(id, { quantity: 9 }), Principal, clerk)
    })
    const layer = Petstore.layer(memory(), { orderLimits: { reservedUnits: 2 } })
    return Effect.map(Effect.provide(changed, layer), ({ quantity }) => assert.strictEqual(quantity, 9))
  })

  it.effect(
    "when they hold for customers, then each change of one that ships nothing is counted, and no clerk's is",
    () => {
      const placed = Effect.gen(function* () {
        const { categories, inventory, orders, pets } = yield* Petstore
        const { id: categoryId } = yield* categories.create({ name: "Cats" })
        const { id: petId } = yield* pets.create({ name: "Tom", categoryId })
        yield* inventory.set(petId, 20)
        const customer = Effect.provideService(Principal, { accountId: 7, actor: "key:7", ownOnly: true })
        const { id } = yield* customer(orders.place({ petId }))
        for (const update of [{ quantity: 3 }, { quantity: 3, complete: false }]) {
          assert.strictEqual((yield* Effect.flip(customer(orders.update(id, update)))).code, "order_limit_exceeded")
        }
        const clerk = Effect.provideService(Principal, { accountId: 8, actor: "key:8" })
        return yield* clerk(orders.place({ petId, quantity: 3 }))
      })
      const layer = Petstore.layer(memory(), { orderLimits: { of: "customers", reservedUnits: 2 } })
      return Effect.map(Effect.provide(placed, layer), ({ quantity }) => assert.strictEqual(quantity, 3))
    }
  )
})
