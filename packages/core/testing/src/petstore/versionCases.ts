import type { PetstoreApi } from "@petstore/core"
import type { PetUpdate } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf } from "./given.ts"
import { petAndStock } from "./inspect.ts"

/** By how much a command raises the versions of a pet and of its inventory item. */
const raised = async (petstore: PetstoreApi, petId: number, command: () => Promise<unknown>) => {
  const before = await petAndStock(petstore, petId)
  await command()
  const after = await petAndStock(petstore, petId)
  return { pet: after.petVersion - before.petVersion, stock: after.stockVersion - before.stockVersion }
}

const neither = { pet: 0, stock: 0 }
const onlyPet = { pet: 1, stock: 0 }
const onlyStock = { pet: 0, stock: 1 }
const both = { pet: 1, stock: 1 }

const raisesOf =
  (petstore: PetstoreApi, petId: number) => async (expected: typeof both, command: () => Promise<unknown>) =>
    assertEqual(await raised(petstore, petId, command), expected)

export const versionCases = petstoreCases("versions", {
  "new resources have version 1": async (petstore) => {
    const { id: categoryId, version } = await petstore.categories.create({ name: "Dogs" })
    assertEqual(version, 1)
    for (const status of ["available", "pending", "sold"] as const) {
      const { id } = await petstore.pets.create({ name: "Rex", categoryId, status })
      const { petVersion, stockVersion } = await petAndStock(petstore, id)
      assertEqual([petVersion, stockVersion], [1, 1])
    }
    const petId = await petOf(petstore, 3)
    assertEqual((await petstore.orders.place({})).version, 1)
    assertEqual((await petstore.orders.place({ petId })).version, 1)
    assertEqual((await petstore.orders.place({ petId, complete: true })).version, 1)
  },
  "a change of a pet raises its version, that of its inventory item or both, by what callers see": async (petstore) => {
    const id = await petOf(petstore, 3)
    const categoryId = await category(petstore)
    const raises = raisesOf(petstore, id)
    const set = (quantity: number) => petstore.inventory.set(id, quantity)
    const update = (change: PetUpdate) => petstore.pets.update(id, change)
    await raises(onlyPet, () => update({ name: "Bello" }))
    await raises(onlyPet, () => update({ name: "Rex", categoryId }))
    await raises(onlyStock, () => set(5))
    await raises(both, () => update({ status: "pending" }))
    await raises(onlyStock, () => set(6))
    await raises(both, () => update({ status: "available" }))
    await raises(both, () => update({ name: "Bello", status: "pending" }))
    await raises(both, () => update({ status: "sold" }))
    await raises(both, () => set(2))
    await raises(both, () => set(0))
  },
  "a change of an order raises the inventory item's, and the pet's only if its status changes": async (petstore) => {
    const { inventory, orders } = petstore
    const id = await petOf(petstore, 4)
    const raises = raisesOf(petstore, id)
    const order = await orderOf(petstore, id)
    await raises(onlyStock, () => orders.update(order, { quantity: 2 }))
    await raises(both, () => orders.update(order, { quantity: 4 }))
    await raises(neither, () => orders.update(order, { shipDate: "2030-01-01T00:00:00Z" }))
    await raises(both, () => orders.update(order, { quantity: 2 }))
    await raises(onlyStock, () => orders.complete(order))
    await raises(onlyStock, () => orders.place({ petId: id, complete: true }))
    await raises(both, () => orders.place({ petId: id, complete: true }))
    await inventory.set(id, 3)
    const [first, second] = [await orderOf(petstore, id), await orderOf(petstore, id)]
    await raises(both, () => orderOf(petstore, id))
    await raises(both, () => orders.cancel(first))
    await raises(onlyStock, () => orders.cancel(second))
  },
  "an order that moves raises those of both pets": async (petstore) => {
    const [from, to] = [await petOf(petstore, 1), await petOf(petstore, 5)]
    const order = await orderOf(petstore, from)
    let left: unknown
    const arrived = await raised(petstore, to, async () => {
      left = await raised(petstore, from, () => petstore.orders.update(order, { petId: to }))
    })
    assertEqual([left, arrived], [both, onlyStock])
  },
  "a hold and its end raise neither where all units are reserved": async (petstore) => {
    const id = await petOf(petstore, 3)
    const order = await orderOf(petstore, id, 3)
    const raises = raisesOf(petstore, id)
    await raises(neither, () => petstore.pets.update(id, { status: "pending" }))
    await raises(neither, () => petstore.pets.update(id, { status: "available" }))
    await petstore.pets.update(id, { status: "pending" })
    await raises(onlyStock, () => petstore.orders.cancel(order))
  },
  "a change returns the version that is read afterwards": async (petstore) => {
    const id = await petOf(petstore, 3)
    await orderOf(petstore, id, 3)
    for (const status of ["pending", "available"] as const) {
      assertEqual(await petstore.pets.update(id, { status }), await petstore.pets.get(id))
    }
    assertEqual(await petstore.pets.update(id, { name: "Bello", status: "pending" }), await petstore.pets.get(id))
    assertEqual(await petstore.inventory.set(id, 5), await petstore.inventory.get(id))
    const order = await petstore.orders.place({ quantity: 1 })
    assertEqual(await petstore.orders.update(order.id, { quantity: 2 }), await petstore.orders.get(order.id))
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    assertEqual(
      await petstore.categories.update(categoryId, { description: "All that bark" }),
      await petstore.categories.get(categoryId)
    )
  },
  "each change of an order raises its version by one": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const { id } = await petstore.orders.place({})
    assertEqual((await petstore.orders.update(id, { quantity: 2 })).version, 2)
    assertEqual((await petstore.orders.update(id, { petId, quantity: 3 })).version, 3)
    assertEqual((await petstore.orders.update(id, { quantity: 3 })).version, 3)
    assertEqual((await petstore.orders.update(id, { quantity: 4, complete: true })).version, 4)
    assertEqual((await petstore.orders.get(id)).version, 4)
  }
})
