import type { ChangeOptions, PetstoreApi } from "@petstore/core"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { collect, petAndStock, stockOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

/** A pet, its category and an order of two of its units, each of version 2. */
const secondVersions = async (petstore: PetstoreApi) => {
  const petId = await petOf(petstore, 9)
  const { categoryId } = await petstore.pets.update(petId, { name: "Bello" })
  await petstore.categories.update(categoryId, { description: "New" })
  const orderId = await orderOf(petstore, petId, 2)
  await petstore.orders.update(orderId, { shipDate: "2030-01-01T00:00:00Z" })
  return { petId, categoryId, orderId }
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
  "whatever has a version is changed only at the given one, or one of several": async (petstore) => {
    const { categories, inventory, orders, pets } = petstore
    const [one, other] = [await secondVersions(petstore), await secondVersions(petstore)]
    const empty = await category(petstore)
    await categories.update(empty, { description: "New" })
    const { version: ofStock } = await inventory.get(one.petId)
    const changes: ReadonlyArray<readonly [version: number, change: (options: ChangeOptions) => Promise<unknown>]> = [
      [2, (options) => pets.update(one.petId, { name: "Max" }, options)],
      [ofStock, (options) => inventory.set(one.petId, 8, options)],
      [2, (options) => categories.update(one.categoryId, { description: "Newer" }, options)],
      [2, (options) => orders.update(one.orderId, { quantity: 3 }, options)],
      [3, (options) => orders.complete(one.orderId, options)],
      [2, (options) => orders.cancel(other.orderId, options)],
      [2, (options) => pets.delete(other.petId, options)],
      [2, (options) => categories.delete(empty, options)]
    ]
    for (const [index, [version, change]] of changes.entries()) {
      const [before, after] = [version - 1, version + 1]
      const state = async () => [await collect(pets.all()), await collect(orders.all()), await collect(inventory.all())]
      const unchanged = await state()
      for (const ifVersion of [before, after, [before, after], []])
        await rejectsWith("precondition_failed", change({ ifVersion }))
      assertEqual(await state(), unchanged)
      await change({ ifVersion: index % 2 === 0 ? version : [99, version, before] })
    }
    assertEqual((await pets.get(one.petId)).name, "Max")
    assertEqual(await stockOf(petstore, one.petId), { status: "available", quantity: 5, reserved: 0, available: 5 })
    assertEqual((await categories.get(one.categoryId)).description, "Newer")
    await rejectsWith("not_found", orders.get(other.orderId))
    await rejectsWith("not_found", pets.get(other.petId))
    await rejectsWith("not_found", categories.get(empty))
  },
  "a version is checked even for a no-op change": async (petstore) => {
    const { petId } = await secondVersions(petstore)
    await rejectsWith("precondition_failed", petstore.pets.update(petId, {}, { ifVersion: 1 }))
    assertEqual((await petstore.pets.update(petId, {}, { ifVersion: 2 })).version, 2)
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
