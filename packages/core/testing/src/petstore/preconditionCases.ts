import type { ChangeOptions, PetstoreApi } from "@petstore/core"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { assertUnchanged, petAndStock } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

const stale: ReadonlyArray<ChangeOptions["ifVersion"]> = [1, 3, [1, 3]]

/** Checks that a change of version 2 is rejected for other versions, and done for this one. */
const isConditional = async (
  petstore: PetstoreApi,
  petIds: ReadonlyArray<number>,
  change: (options: ChangeOptions) => Promise<unknown>,
  accepted: ChangeOptions["ifVersion"] = 2
) => {
  await assertUnchanged(petstore, petIds, async () => {
    for (const ifVersion of stale) await rejectsWith("precondition_failed", change({ ifVersion }))
  })
  await change({ ifVersion: accepted })
}

/** A pet whose version, and that of its inventory item, is 2. */
const secondVersion = async (petstore: PetstoreApi) => {
  const petId = await petOf(petstore, 5)
  await petstore.pets.update(petId, { name: "Bello" })
  return petId
}

const categoryAtTwo = async (petstore: PetstoreApi) => {
  const id = await category(petstore)
  await petstore.categories.update(id, { description: "New" })
  return id
}

const orderAtTwo = async (petstore: PetstoreApi, petId: number) => {
  const id = await orderOf(petstore, petId, 2)
  await petstore.orders.update(id, { shipDate: "2030-01-01T00:00:00Z" })
  return id
}

export const preconditionCases = petstoreCases("conditional writes", {
  "a change raises the version of a pet, that of its inventory item or both, by what callers see": async (petstore) => {
    const { inventory, orders, pets } = petstore
    const id = await petOf(petstore, 4)
    const raises = async (pet: number, stock: number, command: () => Promise<unknown>) => {
      const before = await petAndStock(petstore, id)
      await command()
      const { petVersion, stockVersion } = await petAndStock(petstore, id)
      assertEqual([petVersion - before.petVersion, stockVersion - before.stockVersion], [pet, stock])
    }
    const order = await orderOf(petstore, id)
    await raises(1, 0, () => pets.update(id, { name: "Bello" }))
    await raises(0, 1, () => inventory.set(id, 5))
    await raises(0, 1, () => orders.update(order, { quantity: 2 }))
    await raises(0, 0, () => orders.update(order, { shipDate: "2030-01-01T00:00:00Z" }))
    await raises(1, 1, () => orders.update(order, { quantity: 5 }))
    // A hold does not show while all units are reserved.
    await raises(0, 0, () => pets.update(id, { status: "pending" }))
    await raises(0, 1, () => orders.cancel(order))
    await raises(1, 1, () => pets.update(id, { name: "Rex", status: "available" }))
    await raises(1, 1, () => inventory.set(id, 0))
  },
  "a change returns the version that is read afterwards": async (petstore) => {
    const { categories, inventory, orders, pets } = petstore
    const petId = await petOf(petstore, 3)
    assertEqual(await pets.update(petId, { name: "Bello", status: "pending" }), await pets.get(petId))
    assertEqual(await inventory.set(petId, 5), await inventory.get(petId))
    const { id: orderId } = await orders.place({ quantity: 1 })
    assertEqual(await orders.update(orderId, { quantity: 2 }), await orders.get(orderId))
    const categoryId = await category(petstore)
    assertEqual(await categories.update(categoryId, { description: "New" }), await categories.get(categoryId))
  },
  "a pet is updated and deleted only at the given version, or one of several": async (petstore) => {
    const [renamed, deleted] = [await secondVersion(petstore), await secondVersion(petstore)]
    const update = (options: ChangeOptions) => petstore.pets.update(renamed, { name: "Max" }, options)
    await isConditional(petstore, [renamed], update, [9, 2, 1])
    assertEqual((await petstore.pets.get(renamed)).name, "Max")
    await isConditional(petstore, [deleted], (options) => petstore.pets.delete(deleted, options))
    await rejectsWith("not_found", petstore.pets.get(deleted))
  },
  "a stock is set only at the given version of the inventory item": async (petstore) => {
    const id = await petOf(petstore, 5)
    assertEqual((await petstore.pets.get(id)).version, 1, "the pet's own version")
    await isConditional(petstore, [id], (options) => petstore.inventory.set(id, 9, options))
    assertEqual((await petstore.inventory.get(id)).quantity, 9)
  },
  "a category is updated and deleted only at the given version": async (petstore) => {
    const { categories } = petstore
    const [updated, deleted] = [await categoryAtTwo(petstore), await categoryAtTwo(petstore)]
    await isConditional(petstore, [], (options) => categories.update(updated, { description: "Newer" }, options))
    assertEqual((await categories.get(updated)).version, 3)
    await isConditional(petstore, [], (options) => categories.delete(deleted, options))
    await rejectsWith("not_found", categories.get(deleted))
  },
  "an order is updated, completed and cancelled only at the given version": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const { orders } = petstore
    const updated = await orderAtTwo(petstore, petId)
    await isConditional(petstore, [petId], (options) => orders.update(updated, { quantity: 3 }, options))
    assertEqual((await orders.get(updated)).version, 3)
    const completed = await orderAtTwo(petstore, petId)
    await isConditional(petstore, [petId], (options) => orders.complete(completed, options))
    assertEqual((await orders.get(completed)).complete, true)
    const cancelled = await orderAtTwo(petstore, petId)
    await isConditional(petstore, [petId], (options) => orders.cancel(cancelled, options))
    await rejectsWith("not_found", orders.get(cancelled))
  },
  "a version is checked even for a no-op change": async (petstore) => {
    const id = await secondVersion(petstore)
    await rejectsWith("precondition_failed", petstore.pets.update(id, {}, { ifVersion: 1 }))
    assertEqual((await petstore.pets.update(id, {}, { ifVersion: 2 })).version, 2)
  },
  "a version is checked after existence and before state": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const options = { ifVersion: 99 }
    await rejectsWith("not_found", petstore.pets.update(unknown, { name: "Max" }, options))
    await orderOf(petstore, petId)
    await rejectsWith("precondition_failed", petstore.pets.delete(petId, options))
    await rejectsWith("precondition_failed", petstore.pets.update(petId, { categoryId: unknown }, options))
    await rejectsWith("precondition_failed", petstore.inventory.set(petId, 0, options))
    const { id: orderId } = await petstore.orders.place({ petId, complete: true })
    await rejectsWith("precondition_failed", petstore.orders.cancel(orderId, options))
    const { categoryId } = await petstore.pets.get(petId)
    await rejectsWith("precondition_failed", petstore.categories.delete(categoryId, options))
  },
  "of many writers with the same version one wins": async (petstore) => {
    const id = await petOf(petstore, 1)
    const rename = (n: number) => petstore.pets.update(id, { name: `Rex ${n}` }, { ifVersion: 1 })
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => rename(n)))
    const won = results.filter((result) => result.status === "fulfilled")
    assertEqual(won.length, 1)
    assertEqual(await petstore.pets.get(id), won[0]?.value)
    for (const lost of results.filter((result) => result.status === "rejected")) {
      await rejectsWith("precondition_failed", Promise.reject(lost.reason))
    }
  }
})
