import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { assertUnchanged, collect, petAndStock, stockOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

export const petCases = petstoreCases("pets", {
  "a new pet gets an id and version 1, and has one free unit": async (petstore) => {
    const categoryId = await category(petstore)
    const pet = await petstore.pets.create({ name: "Rex", categoryId })
    assertTrue(Number.isSafeInteger(pet.id) && pet.id > 0, "the id is a positive whole number")
    assertEqual(pet, { id: pet.id, name: "Rex", categoryId, status: "available", version: 1 })
    assertEqual(await petstore.pets.get(pet.id), pet)
    assertEqual(await stockOf(petstore, pet.id), { status: "available", quantity: 1, reserved: 0, available: 1 })
  },
  "a new pet with an unknown category is rejected": async (petstore) => {
    const call = petstore.pets.create({ name: "Rex", categoryId: unknown })
    await rejectsWith("unknown_category", call, { categoryId: unknown })
    assertEqual((await petstore.pets.list()).items, [])
  },
  "two pets of one category may have the same name": async (petstore) => {
    const categoryId = await category(petstore)
    const first = await petstore.pets.create({ name: "Rex", categoryId })
    const second = await petstore.pets.create({ name: "Rex", categoryId })
    assertEqual((await petstore.pets.list({ name: "Rex" })).items.length, 2)
    assertTrue(first.id !== second.id, "they have ids of their own")
  },
  "a pet is read together with its stock, each with its version": async (petstore) => {
    const id = await petOf(petstore, 3)
    await orderOf(petstore, id, 2)
    assertEqual(await petstore.pets.getWithInventory(id), {
      ...(await petstore.pets.get(id)),
      inventory: await petstore.inventory.get(id)
    })
  },
  "an unknown pet is not found": async (petstore) => {
    await rejectsWith("not_found", petstore.pets.get(unknown))
    await rejectsWith("not_found", petstore.pets.getWithInventory(unknown))
    await rejectsWith("not_found", petstore.pets.update(unknown, { name: "Rex" }))
    await rejectsWith("not_found", petstore.pets.delete(unknown))
  },
  "a pet gets another name and keeps the rest": async (petstore) => {
    const id = await petOf(petstore, 3)
    const before = await petstore.pets.get(id)
    const renamed = await petstore.pets.update(id, { name: "Bello" })
    assertEqual(renamed, { ...before, name: "Bello", version: before.version + 1 })
    assertEqual(await petstore.pets.get(id), renamed)
    assertEqual(await stockOf(petstore, id), { status: "available", quantity: 3, reserved: 0, available: 3 })
  },
  "a pet moves to another category": async (petstore) => {
    const id = await petOf(petstore, 1)
    const before = await petstore.pets.get(id)
    const categoryId = await category(petstore)
    assertEqual(await petstore.pets.update(id, { categoryId }), { ...before, categoryId, version: before.version + 1 })
  },
  "a pet cannot move to an unknown category": async (petstore) => {
    const id = await petOf(petstore, 1)
    await assertUnchanged(petstore, [id], () =>
      rejectsWith("unknown_category", petstore.pets.update(id, { name: "Bello", categoryId: unknown }), {
        categoryId: unknown
      })
    )
  },
  "an empty or no-op update changes nothing": async (petstore) => {
    const id = await petOf(petstore, 1)
    const pet = await petstore.pets.get(id)
    await assertUnchanged(petstore, [id], async () => {
      assertEqual(await petstore.pets.update(id, {}), pet)
      const { name, categoryId } = pet
      assertEqual(await petstore.pets.update(id, { name, categoryId, status: "available" }), pet)
    })
  },
  "an id that is sent with an update is ignored": async (petstore) => {
    const id = await petOf(petstore, 1)
    const other = await petOf(petstore, 1)
    assertEqual((await petstore.pets.update(id, { id: other, name: "Bello" })).id, id)
    assertEqual((await petstore.pets.get(other)).name, "Rex")
  },
  "name, category and status change together, in one version": async (petstore) => {
    const id = await petOf(petstore, 1)
    const { version } = await petstore.pets.get(id)
    const categoryId = await category(petstore)
    const update = { name: "Bello", categoryId, status: "pending" } as const
    assertEqual(await petstore.pets.update(id, update), { id, ...update, version: version + 1 })
  },
  "a rejected status change keeps the name and the category too": async (petstore) => {
    const id = await petOf(petstore, 1)
    await orderOf(petstore, id)
    const categoryId = await category(petstore)
    await assertUnchanged(petstore, [id], () =>
      rejectsWith("pet_has_open_orders", petstore.pets.update(id, { name: "Bello", categoryId, status: "sold" }), {
        petId: id,
        reserved: 1
      })
    )
  },
  "a status that the stock does not allow is rejected with what prevents it": async (petstore) => {
    const [sold, reserved] = [await petOf(petstore, 0), await petOf(petstore, 2)]
    await orderOf(petstore, reserved, 2)
    const free = (petId: number) => petstore.pets.update(petId, { status: "available" })
    await assertUnchanged(petstore, [sold, reserved], async () => {
      const transition = { petId: sold, from: "sold", to: "available" }
      await rejectsWith("invalid_status_transition", free(sold), transition)
      await rejectsWith("pet_reserved", free(reserved), { petId: reserved, reserved: 2 })
    })
  },
  "a deleted pet is gone, with its stock and its ledger": async (petstore) => {
    const id = await petOf(petstore, 5)
    const kept = await petOf(petstore, 1)
    await petstore.pets.delete(id)
    await rejectsWith("not_found", petstore.pets.get(id))
    await rejectsWith("not_found", petstore.pets.getWithInventory(id))
    await rejectsWith("not_found", petstore.pets.update(id, { name: "Bello" }))
    await rejectsWith("not_found", petstore.pets.delete(id))
    await rejectsWith("not_found", petstore.inventory.get(id))
    await rejectsWith("not_found", petstore.inventory.set(id, 1))
    await rejectsWith("not_found", petstore.inventory.movements(id))
    assertEqual(
      (await petstore.pets.list()).items.map((pet) => pet.id),
      [kept]
    )
    assertEqual(
      (await petstore.inventory.list()).items.map((item) => item.petId),
      [kept]
    )
  },
  "a pet with open orders is not deleted": async (petstore) => {
    const id = await petOf(petstore, 5)
    await orderOf(petstore, id, 2)
    await orderOf(petstore, id, 1)
    await assertUnchanged(petstore, [id], () =>
      rejectsWith("pet_has_open_orders", petstore.pets.delete(id), { petId: id, reserved: 3 })
    )
  },
  "a pet whose orders are complete or cancelled is deleted, and the complete ones stay": async (petstore) => {
    const id = await petOf(petstore, 5)
    const shipped = await petstore.orders.place({ petId: id, quantity: 2, complete: true })
    await petstore.orders.cancel(await orderOf(petstore, id, 1))
    await petstore.pets.delete(id)
    assertEqual(await petstore.orders.get(shipped.id), shipped)
    assertEqual(
      (await collect(petstore.orders.all({ petId: id }))).map((order) => order.id),
      [shipped.id]
    )
  },
  "the id of a deleted pet is never reused": async (petstore) => {
    const first = await petOf(petstore, 1)
    const last = await petOf(petstore, 1)
    await petstore.pets.delete(last)
    await petstore.pets.delete(first)
    const next = await petOf(petstore, 1)
    assertTrue(next > last, `${next} is none of ${first} and ${last}`)
    await rejectsWith("not_found", petstore.pets.get(last))
    assertEqual((await petAndStock(petstore, next)).petVersion, 1)
  }
})
