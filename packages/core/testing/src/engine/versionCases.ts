import type { PetstoreApi } from "@petstore/core"
import { assertEqual } from "../check.ts"
import { engineCases } from "./cases.ts"
import { category, heldPetOf, orderOf, petOf } from "./given.ts"
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

export const versionCases = engineCases("versions", {
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
  "changing name or category raises only the pet's version": async (petstore) => {
    const id = await petOf(petstore, 3)
    const categoryId = await category(petstore)
    assertEqual(await raised(petstore, id, () => petstore.pets.update(id, { name: "Bello" })), onlyPet)
    assertEqual(await raised(petstore, id, () => petstore.pets.update(id, { name: "Rex", categoryId })), onlyPet)
  },
  "an order raises the inventory item's, and the pet's only if its status changes": async (petstore) => {
    const id = await petOf(petstore, 3)
    assertEqual(await raised(petstore, id, () => orderOf(petstore, id, 2)), onlyStock)
    assertEqual(await raised(petstore, id, () => orderOf(petstore, id, 1)), both)
  },
  "shipping raises the inventory item's, and the pet's only if its status changes": async (petstore) => {
    const id = await petOf(petstore, 3)
    const [first, last] = [await orderOf(petstore, id, 2), await orderOf(petstore, id, 1)]
    assertEqual(await raised(petstore, id, () => petstore.orders.complete(first)), onlyStock)
    assertEqual(await raised(petstore, id, () => petstore.orders.complete(last)), both)
  },
  "an order placed complete raises each by one": async (petstore) => {
    const id = await petOf(petstore, 3)
    assertEqual(await raised(petstore, id, () => petstore.orders.place({ petId: id, complete: true })), onlyStock)
    assertEqual(
      await raised(petstore, id, () => petstore.orders.place({ petId: id, quantity: 2, complete: true })),
      both
    )
  },
  "cancelling raises the inventory item's, and the pet's only if its status changes": async (petstore) => {
    const id = await petOf(petstore, 3)
    const [first, second] = [await orderOf(petstore, id, 2), await orderOf(petstore, id, 1)]
    assertEqual(await raised(petstore, id, () => petstore.orders.cancel(second)), both)
    assertEqual(await raised(petstore, id, () => petstore.orders.cancel(first)), onlyStock)
  },
  "amending raises the inventory item's, and the pet's only if its status changes": async (petstore) => {
    const id = await petOf(petstore, 3)
    const order = await orderOf(petstore, id, 1)
    assertEqual(await raised(petstore, id, () => petstore.orders.update(order, { quantity: 2 })), onlyStock)
    assertEqual(await raised(petstore, id, () => petstore.orders.update(order, { quantity: 3 })), both)
    assertEqual(
      await raised(petstore, id, () => petstore.orders.update(order, { shipDate: "2030-01-01T00:00:00Z" })),
      neither
    )
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
  "setting a quantity raises the inventory item's, and the pet's only if its status changes": async (petstore) => {
    const id = await petOf(petstore, 3)
    assertEqual(await raised(petstore, id, () => petstore.inventory.set(id, 5)), onlyStock)
    assertEqual(await raised(petstore, id, () => petstore.inventory.set(id, 0)), both)
    assertEqual(await raised(petstore, id, () => petstore.inventory.set(id, 2)), both)
    const held = await heldPetOf(petstore, 3)
    assertEqual(await raised(petstore, held, () => petstore.inventory.set(held, 5)), onlyStock)
  },
  "a hold and its end raise both where units are free": async (petstore) => {
    const id = await petOf(petstore, 3)
    assertEqual(await raised(petstore, id, () => petstore.pets.update(id, { status: "pending" })), both)
    assertEqual(await raised(petstore, id, () => petstore.pets.update(id, { status: "available" })), both)
  },
  "a hold and its end raise neither where all units are reserved": async (petstore) => {
    const id = await petOf(petstore, 3)
    await orderOf(petstore, id, 3)
    assertEqual(await raised(petstore, id, () => petstore.pets.update(id, { status: "pending" })), neither)
    assertEqual(await raised(petstore, id, () => petstore.pets.update(id, { status: "available" })), neither)
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
  "a write-off raises both": async (petstore) => {
    const id = await petOf(petstore, 3)
    assertEqual(await raised(petstore, id, () => petstore.pets.update(id, { status: "sold" })), both)
  },
  "name and status together raise the pet's once": async (petstore) => {
    const id = await petOf(petstore, 3)
    assertEqual(await raised(petstore, id, () => petstore.pets.update(id, { name: "Bello", status: "pending" })), both)
  },
  "releasing units of a pet on hold raises the inventory item's": async (petstore) => {
    const id = await petOf(petstore, 3)
    const order = await orderOf(petstore, id, 3)
    await petstore.pets.update(id, { status: "pending" })
    assertEqual(await raised(petstore, id, () => petstore.orders.cancel(order)), onlyStock)
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
