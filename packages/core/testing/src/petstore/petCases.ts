import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { allIds, assertUnchanged, collect, stockOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

export const petCases = petstoreCases("pets", {
  "a new pet gets an id and version 1, and has one free unit": async (petstore) => {
    const categoryId = await category(petstore)
    const pet = await petstore.pets.create({ name: "Rex", categoryId })
    assertTrue(Number.isSafeInteger(pet.id) && pet.id > 0, "the id is a positive whole number")
    assertEqual(pet, { id: pet.id, name: "Rex", categoryId, status: "available", version: 1 })
    assertEqual(await petstore.pets.get(pet.id), pet)
    assertEqual(await stockOf(petstore, pet.id), { status: "available", quantity: 1, reserved: 0, available: 1 })
    const other = await petstore.pets.create({ name: "Rex", categoryId })
    assertTrue(other.id !== pet.id, "another one with its name has an id of its own")
  },
  "a new pet with an unknown category is rejected": async (petstore) => {
    const call = petstore.pets.create({ name: "Rex", categoryId: unknown })
    await rejectsWith("unknown_category", call, { categoryId: unknown })
    assertEqual(await petstore.pets.list(), { items: [] })
  },
  "a pet is read together with its stock, each with its version": async (petstore) => {
    const id = await petOf(petstore, 3)
    await orderOf(petstore, id, 2)
    assertEqual(await petstore.pets.getWithInventory(id), {
      ...(await petstore.pets.get(id)),
      inventory: await petstore.inventory.get(id)
    })
  },
  "what changes of a pet changes in one version, and the rest stays": async (petstore) => {
    const [id, categoryId] = [await petOf(petstore, 3), await category(petstore)]
    const other = await petstore.pets.get(await petOf(petstore, 1))
    let pet = await petstore.pets.get(id)
    for (const update of [
      { name: "Bello" },
      { categoryId },
      { name: "Max", categoryId: pet.categoryId, status: "pending" as const }
    ]) {
      const before = pet
      // An id that is sent is ignored.
      pet = await petstore.pets.update(id, { id: other.id, ...update })
      assertEqual(pet, { ...before, ...update, version: before.version + 1 })
      assertEqual(await petstore.pets.get(id), pet)
    }
    assertEqual(await petstore.pets.get(other.id), other)
  },
  "an empty or no-op update changes nothing": async (petstore) => {
    const id = await petOf(petstore, 1)
    const pet = await petstore.pets.get(id)
    const { name, categoryId } = pet
    await assertUnchanged(petstore, [id], async () => {
      for (const update of [{}, { name, categoryId, status: "available" as const }])
        assertEqual(await petstore.pets.update(id, update), pet)
    })
  },
  "an update that is rejected changes nothing, with what prevents it": async (petstore) => {
    const [sold, reserved, open] = [await petOf(petstore, 0), await petOf(petstore, 2), await petOf(petstore, 3)]
    await orderOf(petstore, reserved, 2)
    await orderOf(petstore, open)
    const { categories, pets } = petstore
    const { id: categoryId } = await categories.create({ name: "Other" })
    const free = (petId: number) => pets.update(petId, { status: "available" })
    await assertUnchanged(petstore, [sold, reserved, open], async () => {
      const gone = pets.update(sold, { name: "Bello", categoryId: unknown })
      await rejectsWith("unknown_category", gone, { categoryId: unknown })
      const transition = { petId: sold, from: "sold", to: "available" }
      await rejectsWith("invalid_status_transition", free(sold), transition)
      await rejectsWith("pet_reserved", free(reserved), { petId: reserved, reserved: 2 })
      const sell = pets.update(open, { name: "Bello", categoryId, status: "sold" })
      await rejectsWith("pet_has_open_orders", sell, { petId: open, reserved: 1 })
      await rejectsWith("pet_has_open_orders", pets.delete(reserved), { petId: reserved, reserved: 2 })
    })
  },
  "a deleted pet is gone with its stock and its ledger, and its id is never reused": async (petstore) => {
    const { inventory, pets } = petstore
    const [kept, first, last] = [await petOf(petstore, 1), await petOf(petstore, 5), await petOf(petstore, 1)]
    for (const id of [last, first]) {
      await pets.delete(id)
      for (const call of [
        () => pets.get(id),
        () => pets.getWithInventory(id),
        () => pets.update(id, { name: "Bello" }),
        () => pets.delete(id),
        () => inventory.get(id),
        () => inventory.set(id, 1),
        () => inventory.movements(id)
      ])
        await rejectsWith("not_found", call())
    }
    assertEqual(await allIds(pets.all()), [kept])
    assertEqual((await collect(inventory.all())).length, 1)
    const next = await petOf(petstore, 1)
    assertTrue(next > last, `${next} is none of ${first} and ${last}`)
    assertEqual((await pets.get(next)).version, 1)
  },
  "a pet whose orders are complete or cancelled is deleted, and the complete ones stay": async (petstore) => {
    const id = await petOf(petstore, 5)
    const shipped = await petstore.orders.place({ petId: id, quantity: 2, complete: true })
    await petstore.orders.cancel(await orderOf(petstore, id, 1))
    await petstore.pets.delete(id)
    assertEqual(await petstore.orders.get(shipped.id), shipped)
    assertEqual(await allIds(petstore.orders.all({ petId: id })), [shipped.id])
  }
})
