import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "../../petstore/createPetstore.ts"

describe("given more than 1,000 pets in stock before one that runs out", () => {
  it("when these are listed, then a page has looked at 1,000 pets, and the next one continues behind them", async () => {
    const petstore = await createPetstore()
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const pets = await petstore.pets.createAll(
      Array.from({ length: 1_000 }, (_, n) => ({ name: `Dog ${n}`, categoryId }))
    )
    const { id } = await petstore.pets.create({ name: "Rex", categoryId })
    await petstore.inventory.setAll(pets.map((pet) => ({ petId: pet.id, quantity: 9 })))
    const { items, next = "" } = await petstore.inventory.list({ maxAvailable: 5 })
    assert.deepStrictEqual(items, [])
    const last = await petstore.inventory.list({ maxAvailable: 5, cursor: next })
    assert.deepStrictEqual([last.items.map(({ petId }) => petId), last.next], [[id], undefined])
    await petstore.close()
  })
})
