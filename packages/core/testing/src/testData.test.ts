import { assert, describe, it, vi } from "@effect/vitest"
import type { PetstoreApi } from "@petstore/core"
import { type PetStatus, ValidationFailed } from "@petstore/core/domain"
import { assertInvariants } from "./assertInvariants.ts"
import { assertRejects } from "./assertRejects.ts"
import { createHeldPet, createOpenOrder, createSoldOutPet, createStockedPet } from "./testData.ts"
import { testPetstore } from "./testPetstore.ts"

const stockOf = async ({ inventory }: PetstoreApi, petId: number) => {
  const { available, quantity, reserved, status } = await inventory.get(petId)
  return { quantity, reserved, available, status }
}

const expected = (quantity: number, reserved: number, available: number, status: PetStatus) => ({
  quantity,
  reserved,
  available,
  status
})

describe("given an empty shop", () => {
  it("when a stocked pet is created, then it is returned as it is stored, with its units free", async () => {
    await using petstore = await testPetstore()
    const rex = await createStockedPet(petstore, { name: "Rex", onHand: 3 })
    assert.deepStrictEqual(rex, await petstore.pets.get(rex.id))
    assert.strictEqual(rex.name, "Rex")
    const stock = expected(3, 0, 3, "available")
    assert.deepStrictEqual(await stockOf(petstore, rex.id), stock)
  })

  it("when nothing is said, then there is one unit; when none is said, then it is sold out", async () => {
    await using petstore = await testPetstore()
    assert.strictEqual((await stockOf(petstore, (await createStockedPet(petstore)).id)).quantity, 1)
    const sold = expected(0, 0, 0, "sold")
    assert.deepStrictEqual(await stockOf(petstore, (await createStockedPet(petstore, { onHand: 0 })).id), sold)
    const max = await createSoldOutPet(petstore, { name: "Max" })
    assert.deepStrictEqual([max.name, max.status], ["Max", "sold"])
    assert.deepStrictEqual(await stockOf(petstore, max.id), sold)
  })

  it("when a held pet is asked for, then it has units and none is free", async () => {
    await using petstore = await testPetstore()
    const rex = await createHeldPet(petstore, { onHand: 2 })
    assert.deepStrictEqual(rex, await petstore.pets.get(rex.id))
    const stock = expected(2, 0, 0, "pending")
    assert.deepStrictEqual(await stockOf(petstore, rex.id), stock)
  })

  it("when an open order is asked for, then it holds as many units as it says, of a pet that has them", async () => {
    await using petstore = await testPetstore()
    const { complete, petId = 0, quantity } = await createOpenOrder(petstore, { quantity: 2 })
    assert.deepStrictEqual([complete, quantity], [false, 2])
    const stock = expected(2, 2, 0, "pending")
    assert.deepStrictEqual(await stockOf(petstore, petId), stock)
  })

  it("when an open order of a pet is asked for, then it is of that pet", async () => {
    await using petstore = await testPetstore()
    const rex = await createStockedPet(petstore, { onHand: 3 })
    const shipDate = "2030-02-01T00:00:00.000Z"
    const order = await createOpenOrder(petstore, { petId: rex.id, shipDate })
    assert.deepStrictEqual([order.petId, order.quantity, order.shipDate], [rex.id, 1, shipDate])
    assert.strictEqual((await stockOf(petstore, rex.id)).reserved, 1)
  })

  it("when pets are asked for at the same time, then they share one category", async () => {
    await using petstore = await testPetstore()
    const pets = await Promise.all([createStockedPet(petstore), createHeldPet(petstore), createSoldOutPet(petstore)])
    assert.deepStrictEqual(new Set(pets.map(({ categoryId }) => categoryId)).size, 1)
    assert.lengthOf((await petstore.categories.list()).items, 1)
  })
})

describe("given a shop whose category was deleted", () => {
  it("when a pet is asked for, then it is of a new one", async () => {
    await using petstore = await testPetstore()
    const rex = await createStockedPet(petstore)
    await petstore.pets.delete(rex.id)
    await petstore.categories.delete(rex.categoryId)
    assert.deepStrictEqual((await petstore.categories.list()).items.length, 0)
    const { categoryId } = await createStockedPet(petstore)
    assert.strictEqual((await petstore.categories.get(categoryId)).id, categoryId)
  })
})

describe("given a petstore that was away for a moment", () => {
  it("when a pet is asked for again, then it is made", async () => {
    await using petstore = await testPetstore()
    const away = new Error("The network is down")
    const list = vi.spyOn(petstore.categories, "list").mockRejectedValueOnce(away)
    assert.strictEqual(await assertRejects(createStockedPet(petstore), Error), away)
    assert.strictEqual((await createStockedPet(petstore)).id, 1)
    list.mockRestore()
  })
})

describe("given units that cannot be", () => {
  for (const onHand of [-1, 0.5, Number.NaN]) {
    it(`when ${onHand} are asked for, then that is rejected as it is by the inventory`, async () => {
      await using petstore = await testPetstore()
      const { violations } = await assertRejects(createStockedPet(petstore, { onHand }), ValidationFailed)
      assert.deepStrictEqual(
        violations?.map(({ path }) => path),
        ["/body/quantity"]
      )
    })
  }
})

describe("given a shop with categories", () => {
  it("when a pet is asked for, then it is of the first; when its category is said, then of that", async () => {
    await using petstore = await testPetstore()
    const dogs = await petstore.categories.create({ name: "Dogs" })
    const cats = await petstore.categories.create({ name: "Cats" })
    assert.strictEqual((await createStockedPet(petstore)).categoryId, dogs.id)
    assert.strictEqual((await createStockedPet(petstore, { categoryId: cats.id })).categoryId, cats.id)
    assert.lengthOf((await petstore.categories.list()).items, 2)
  })
})

describe("given something else than a petstore", () => {
  for (const [shown, other] of [
    ["a promise: await it", Promise.resolve()],
    ["undefined", undefined]
  ] as const) {
    it(`when it is ${shown}, then functions of test data and checks say so`, async () => {
      const petstore = other as never
      const calls = [createStockedPet, createSoldOutPet, createHeldPet, createOpenOrder, assertInvariants]
      for (const call of calls) {
        const error = await call(petstore).then(String, String)
        assert.match(
          error,
          new RegExp(`^TypeError: .* takes a petstore, such as one of testPetstore\\(\\), not ${shown}$`)
        )
      }
    })
  }
})
