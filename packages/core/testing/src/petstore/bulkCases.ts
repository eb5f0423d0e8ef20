import { limits } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { assertUnchanged, collect, ledger, stockOf } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

export const bulkCases = petstoreCases("calls for many", {
  "pets that are created together are read one by one, in their order": async (petstore) => {
    const categoryId = await category(petstore)
    const inputs = [
      { name: " Rex ", categoryId },
      { name: "Tom", categoryId, status: "pending" },
      { name: "Max", categoryId, status: "sold" }
    ] as const
    const created = await petstore.pets.createAll(inputs)
    assertEqual(
      created.map(({ name, status }) => [name, status]),
      [
        ["Rex", "available"],
        ["Tom", "pending"],
        ["Max", "sold"]
      ]
    )
    for (const pet of created) assertEqual(await petstore.pets.get(pet.id), { ...pet, version: 1 })
    assertEqual(await collect(petstore.pets.all()), created)
    assertEqual(await ledger(petstore, created[1]?.id ?? 0), [
      ["initial", 1, 0],
      ["held", 0, 0]
    ])
  },
  "if one pet is rejected, none is created, and the error has its index": async (petstore) => {
    const categoryId = await category(petstore)
    const pets = [categoryId, unknown, unknown + 1].map((id) => ({ name: "Rex", categoryId: id }))
    await rejectsWith("unknown_category", petstore.pets.createAll(pets), { categoryId: unknown, index: 1 })
    assertEqual(await petstore.pets.list(), { items: [] })
  },
  "every violation of many elements has its index, and so has a pet that is counted twice": async (petstore) => {
    const categoryId = await category(petstore)
    const rex = { name: "Rex", categoryId }
    const call = petstore.pets.createAll([rex, { ...rex, name: "" }, rex, { name: "Tom", categoryId: 0 }])
    await rejectsInput(call, "/body/pets/1/name", "/body/pets/3/categoryId")
    const count = { petId: 1, quantity: 1 }
    const counts = petstore.inventory.setAll([
      { ...count, quantity: -1 },
      { ...count, ifVersion: 0, petId: 2 }
    ])
    await rejectsInput(counts, "/body/items/0/quantity", "/body/items/1/ifVersion")
    const twice = petstore.inventory.setAll([count, { ...count, petId: 2 }, count])
    await rejectsInput(twice, "/body/items/2/petId")
  },
  "a call for many takes 1 to 1,000 elements": async (petstore) => {
    const categoryId = await category(petstore)
    const many = (length: number) => Array.from({ length }, (_, index) => ({ name: `Rex ${index}`, categoryId }))
    await rejectsInput(petstore.pets.createAll([]), "/body/pets")
    await rejectsInput(petstore.pets.createAll(many(limits.batch + 1)), "/body/pets")
    await rejectsInput(petstore.inventory.setAll([]), "/body/items")
    const pets = await petstore.pets.createAll(many(limits.batch))
    assertEqual(pets.length, limits.batch)
    const counts = pets.map(({ id }, index) => ({ petId: id, quantity: index }))
    const items = await petstore.inventory.setAll(counts.toReversed())
    assertEqual(
      items.map(({ petId, quantity }) => ({ petId, quantity })),
      counts.toReversed()
    )
    const last = pets.at(-1)?.id ?? 0
    assertEqual(await stockOf(petstore, last), { status: "available", quantity: 999, reserved: 0, available: 999 })
    assertEqual(await ledger(petstore, last), [
      ["initial", 1, 0],
      ["set", 998, 0]
    ])
  },
  "if the stock of one pet is rejected, none is set, and the error has its index": async (petstore) => {
    const [one, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    await orderOf(petstore, one, 3)
    const set = (item: { readonly petId: number; readonly quantity: number; readonly ifVersion?: number }) =>
      petstore.inventory.setAll([{ petId: other, quantity: 7 }, item])
    await assertUnchanged(petstore, [one, other], async () => {
      const below = { petId: one, quantity: 2, reserved: 3, index: 1 }
      await rejectsWith("quantity_below_reserved", set({ petId: one, quantity: 2 }), below)
      await rejectsWith("not_found", set({ petId: unknown, quantity: 2 }), { index: 1 })
      await rejectsWith("precondition_failed", set({ petId: one, quantity: 9, ifVersion: 1 }), { index: 1 })
    })
  },
  "adjustments of several pets take effect in their order, each with its entry in the ledger": async (petstore) => {
    const [one, other] = [await petOf(petstore, 5), await petOf(petstore, 0)]
    const adjustments = [
      { petId: one, delta: -2, reason: "damaged" },
      { petId: other, delta: 3, reason: "received" },
      { petId: one, delta: 4, reason: "received" }
    ] as const
    const items = await petstore.inventory.adjustAll(adjustments)
    const expected = [3, 3, 7].map((quantity, index) => ({ petId: adjustments[index]?.petId, quantity }))
    assertEqual(
      items.map(({ petId, quantity }) => ({ petId, quantity })),
      expected
    )
    const ofOne = [
      ["damaged", -2, 0],
      ["received", 4, 0]
    ]
    assertEqual((await ledger(petstore, one)).slice(-2), ofOne)
    assertEqual(await stockOf(petstore, other), { status: "available", quantity: 3, reserved: 0, available: 3 })
  },
  "if one adjustment is rejected, none takes effect, and the error has its index": async (petstore) => {
    const [one, other] = [await petOf(petstore, 5), await petOf(petstore, limits.stock - 1)]
    await orderOf(petstore, one, 3)
    const adjust = (adjustment: { readonly petId: number; readonly delta: number }) =>
      petstore.inventory.adjustAll([
        { petId: one, delta: -1, reason: "damaged" },
        { ...adjustment, reason: "correction" }
      ])
    await rejectsInput(petstore.inventory.adjustAll([]), "/body/adjustments")
    await assertUnchanged(petstore, [one, other], async () => {
      // What the first leaves is not enough.
      const below = { petId: one, quantity: 2, reserved: 3, index: 1 }
      await rejectsWith("quantity_below_reserved", adjust({ petId: one, delta: -2 }), below)
      const above = { petId: other, quantity: limits.stock + 1, limit: limits.stock, index: 1 }
      await rejectsWith("stock_limit_exceeded", adjust({ petId: other, delta: 2 }), above)
      await rejectsWith("not_found", adjust({ petId: unknown, delta: 1 }), { index: 1 })
    })
  },
  "an element may set one version alone": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { version } = await petstore.inventory.get(petId)
    const [item] = await petstore.inventory.setAll([{ petId, quantity: 9, ifVersion: version }])
    assertEqual(item, { petId, quantity: 9, reserved: 0, available: 9, status: "available" })
    assertEqual((await petstore.inventory.get(petId)).version, version + 1)
  },
  "stock that stays as it is gets no event": async (petstore) => {
    const [one, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const before = await petstore.events.latest()
    await petstore.inventory.setAll([
      { petId: one, quantity: 5 },
      { petId: other, quantity: 6 }
    ])
    const { items } = await petstore.events.list({ after: before })
    assertEqual(
      items.map(({ subject, type }) => `${type} ${subject}`),
      [`inventory.updated inventory/${other}`]
    )
  },
  "counts of the same pets in opposite orders wait for each other": async (petstore) => {
    const categoryId = await category(petstore)
    const pets = await petstore.pets.createAll(Array.from({ length: 5 }, () => ({ name: "Rex", categoryId })))
    const counts = (quantity: number) => pets.map(({ id }) => ({ petId: id, quantity }))
    await Promise.all(
      [2, 3, 4, 5, 6, 7].map((quantity) =>
        petstore.inventory.setAll(quantity % 2 === 0 ? counts(quantity) : counts(quantity).toReversed())
      )
    )
    const quantities = await Promise.all(pets.map(async ({ id }) => (await petstore.inventory.get(id)).quantity))
    assertEqual(new Set(quantities).size, 1, "one count is the last of every pet")
  }
})
