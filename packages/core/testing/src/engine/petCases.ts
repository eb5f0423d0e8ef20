import { holds, same } from "../check.ts"
import { engineCases } from "./cases.ts"
import { category, heldPetOf, orderOf, petOf, unknown } from "./given.ts"
import { refused } from "./refused.ts"
import { collect, seen, stockOf, unchanged } from "./seen.ts"

export const petCases = engineCases("pets", {
  "a new pet gets an id and version 1, and has one free unit": async (petstore) => {
    const categoryId = await category(petstore)
    const pet = await petstore.pets.create({ name: "Rex", categoryId })
    holds(Number.isSafeInteger(pet.id) && pet.id > 0, "the id is a positive whole number")
    same(pet, { id: pet.id, name: "Rex", categoryId, status: "available", version: 1 })
    same(await stockOf(petstore, pet.id), { status: "available", quantity: 1, reserved: 0, available: 1 })
  },
  "a new pet may say that it is available, and has one free unit": async (petstore) => {
    const categoryId = await category(petstore)
    const { id, status } = await petstore.pets.create({ name: "Rex", categoryId, status: "available" })
    same(status, "available")
    same(await stockOf(petstore, id), { status: "available", quantity: 1, reserved: 0, available: 1 })
  },
  "a new pet that is pending has one unit on hold": async (petstore) => {
    const categoryId = await category(petstore)
    const { id, status, version } = await petstore.pets.create({ name: "Rex", categoryId, status: "pending" })
    same([status, version], ["pending", 1])
    same(await stockOf(petstore, id), { status: "pending", quantity: 1, reserved: 0, available: 0 })
    const refusal = { petId: id, status: "pending", quantity: 1 }
    await refused("pet_not_available", petstore.orders.place({ petId: id }), refusal)
  },
  "a new pet that is sold has no unit": async (petstore) => {
    const categoryId = await category(petstore)
    const { id, status, version } = await petstore.pets.create({ name: "Rex", categoryId, status: "sold" })
    same([status, version], ["sold", 1])
    same(await stockOf(petstore, id), { status: "sold", quantity: 0, reserved: 0, available: 0 })
  },
  "a new pet of an unknown category is refused and not created": async (petstore) => {
    const call = petstore.pets.create({ name: "Rex", categoryId: unknown })
    await refused("unknown_category", call, { categoryId: unknown })
    same((await petstore.pets.list()).items, [])
  },
  "ids of pets ascend in the order of creation": async (petstore) => {
    const ids = [await petOf(petstore, 1), await petOf(petstore, 1), await petOf(petstore, 1)]
    same(
      ids,
      [...new Set(ids)].sort((a, b) => a - b)
    )
  },
  "two pets of one category may have the same name": async (petstore) => {
    const categoryId = await category(petstore)
    const first = await petstore.pets.create({ name: "Rex", categoryId })
    const second = await petstore.pets.create({ name: "Rex", categoryId })
    same((await petstore.pets.list({ name: "Rex" })).items.length, 2)
    holds(first.id !== second.id, "they have ids of their own")
  },
  "a pet is read as it was created": async (petstore) => {
    const created = await petstore.pets.create({ name: "Rex", categoryId: await category(petstore), status: "sold" })
    same(await petstore.pets.get(created.id), created)
  },
  "a pet is read together with its stock, each with its version": async (petstore) => {
    const id = await petOf(petstore, 3)
    await orderOf(petstore, id, 2)
    same(await petstore.pets.getWithInventory(id), {
      ...(await petstore.pets.get(id)),
      inventory: await petstore.inventory.get(id)
    })
  },
  "an unknown pet is not found": async (petstore) => {
    await refused("not_found", petstore.pets.get(unknown))
    await refused("not_found", petstore.pets.getWithInventory(unknown))
    await refused("not_found", petstore.pets.update(unknown, { name: "Rex" }))
    await refused("not_found", petstore.pets.delete(unknown))
  },
  "a pet gets another name and keeps the rest": async (petstore) => {
    const id = await petOf(petstore, 3)
    const before = await petstore.pets.get(id)
    const renamed = await petstore.pets.update(id, { name: "Bello" })
    same(renamed, { ...before, name: "Bello", version: before.version + 1 })
    same(await petstore.pets.get(id), renamed)
    same(await stockOf(petstore, id), { status: "available", quantity: 3, reserved: 0, available: 3 })
  },
  "a pet moves to another category": async (petstore) => {
    const id = await petOf(petstore, 1)
    const before = await petstore.pets.get(id)
    const categoryId = await category(petstore)
    same(await petstore.pets.update(id, { categoryId }), { ...before, categoryId, version: before.version + 1 })
  },
  "a pet cannot move to an unknown category": async (petstore) => {
    const id = await petOf(petstore, 1)
    await unchanged(petstore, [id], () =>
      refused("unknown_category", petstore.pets.update(id, { name: "Bello", categoryId: unknown }), {
        categoryId: unknown
      })
    )
  },
  "an update that names nothing, or what is already so, changes nothing": async (petstore) => {
    const id = await petOf(petstore, 1)
    const pet = await petstore.pets.get(id)
    await unchanged(petstore, [id], async () => {
      same(await petstore.pets.update(id, {}), pet)
      const { name, categoryId } = pet
      same(await petstore.pets.update(id, { name, categoryId, status: "available" }), pet)
    })
  },
  "an id that is sent with an update is ignored": async (petstore) => {
    const id = await petOf(petstore, 1)
    const other = await petOf(petstore, 1)
    same((await petstore.pets.update(id, { id: other, name: "Bello" })).id, id)
    same((await petstore.pets.get(other)).name, "Rex")
  },
  "name, category and status change together, in one version": async (petstore) => {
    const id = await petOf(petstore, 1)
    const { version } = await petstore.pets.get(id)
    const categoryId = await category(petstore)
    const update = { name: "Bello", categoryId, status: "pending" } as const
    same(await petstore.pets.update(id, update), { id, ...update, version: version + 1 })
  },
  "a status that is refused keeps the name and the category too": async (petstore) => {
    const id = await petOf(petstore, 1)
    await orderOf(petstore, id)
    const categoryId = await category(petstore)
    await unchanged(petstore, [id], () =>
      refused("pet_has_open_orders", petstore.pets.update(id, { name: "Bello", categoryId, status: "sold" }), {
        petId: id,
        reserved: 1
      })
    )
  },
  "a deleted pet is gone, with its stock and its ledger": async (petstore) => {
    const id = await petOf(petstore, 5)
    const kept = await petOf(petstore, 1)
    await petstore.pets.delete(id)
    await refused("not_found", petstore.pets.get(id))
    await refused("not_found", petstore.pets.getWithInventory(id))
    await refused("not_found", petstore.pets.update(id, { name: "Bello" }))
    await refused("not_found", petstore.pets.delete(id))
    await refused("not_found", petstore.inventory.get(id))
    await refused("not_found", petstore.inventory.set(id, 1))
    await refused("not_found", petstore.inventory.movements(id))
    same(
      (await petstore.pets.list()).items.map((pet) => pet.id),
      [kept]
    )
    same(
      (await petstore.inventory.list()).items.map((item) => item.petId),
      [kept]
    )
  },
  "a deleted pet takes no orders": async (petstore) => {
    const id = await petOf(petstore, 5)
    await petstore.pets.delete(id)
    await refused("unknown_pet", petstore.orders.place({ petId: id }), { petId: id })
  },
  "a pet with open orders is not deleted": async (petstore) => {
    const id = await petOf(petstore, 5)
    await orderOf(petstore, id, 2)
    await orderOf(petstore, id, 1)
    await unchanged(petstore, [id], () =>
      refused("pet_has_open_orders", petstore.pets.delete(id), { petId: id, reserved: 3 })
    )
  },
  "a pet on hold is deleted like any other": async (petstore) => {
    const id = await heldPetOf(petstore, 5)
    await petstore.pets.delete(id)
    await refused("not_found", petstore.pets.get(id))
  },
  "a pet whose orders are complete or cancelled is deleted, and the complete ones stay": async (petstore) => {
    const id = await petOf(petstore, 5)
    const shipped = await petstore.orders.place({ petId: id, quantity: 2, complete: true })
    await petstore.orders.cancel(await orderOf(petstore, id, 1))
    await petstore.pets.delete(id)
    same(await petstore.orders.get(shipped.id), shipped)
    same(
      (await collect(petstore.orders.all({ petId: id }))).map((order) => order.id),
      [shipped.id]
    )
  },
  "the id of a deleted pet is never used again": async (petstore) => {
    const first = await petOf(petstore, 1)
    const last = await petOf(petstore, 1)
    await petstore.pets.delete(last)
    await petstore.pets.delete(first)
    const next = await petOf(petstore, 1)
    holds(next > last, `${next} is none of ${first} and ${last}`)
    await refused("not_found", petstore.pets.get(last))
    same((await seen(petstore, next)).petVersion, 1)
  }
})
