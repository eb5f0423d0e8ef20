import type { ChangeOptions, PetstoreApi } from "@petstore/core"
import { assertEqual } from "../check.ts"
import { engineCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { assertUnchanged } from "./inspect.ts"
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

export const preconditionCases = engineCases("conditional writes", {
  "a pet is updated only at the given version": async (petstore) => {
    const id = await secondVersion(petstore)
    await isConditional(petstore, [id], (options) => petstore.pets.update(id, { name: "Max" }, options))
    assertEqual((await petstore.pets.get(id)).name, "Max")
  },
  "a pet is deleted only at the given version": async (petstore) => {
    const id = await secondVersion(petstore)
    await isConditional(petstore, [id], (options) => petstore.pets.delete(id, options))
    await rejectsWith("not_found", petstore.pets.get(id))
  },
  "a stock is set only at the given version of the inventory item": async (petstore) => {
    const id = await petOf(petstore, 5)
    assertEqual((await petstore.pets.get(id)).version, 1, "the pet's own version")
    await isConditional(petstore, [id], (options) => petstore.inventory.set(id, 9, options))
    assertEqual((await petstore.inventory.get(id)).quantity, 9)
  },
  "a category is updated only at the given version": async (petstore) => {
    const id = await categoryAtTwo(petstore)
    await isConditional(petstore, [], (options) => petstore.categories.update(id, { description: "Newer" }, options))
    assertEqual((await petstore.categories.get(id)).version, 3)
  },
  "a category is deleted only at the given version": async (petstore) => {
    const id = await categoryAtTwo(petstore)
    await isConditional(petstore, [], (options) => petstore.categories.delete(id, options))
    await rejectsWith("not_found", petstore.categories.get(id))
  },
  "an order is updated only at the given version": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const id = await orderAtTwo(petstore, petId)
    await isConditional(petstore, [petId], (options) => petstore.orders.update(id, { quantity: 3 }, options))
    assertEqual((await petstore.orders.get(id)).version, 3)
  },
  "an order is completed only at the given version": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const id = await orderAtTwo(petstore, petId)
    await isConditional(petstore, [petId], (options) => petstore.orders.complete(id, options))
    assertEqual((await petstore.orders.get(id)).complete, true)
  },
  "an order is cancelled only at the given version": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const id = await orderAtTwo(petstore, petId)
    await isConditional(petstore, [petId], (options) => petstore.orders.cancel(id, options))
    await rejectsWith("not_found", petstore.orders.get(id))
  },
  "one of several given versions may be the current one": async (petstore) => {
    const id = await secondVersion(petstore)
    const update = (options: ChangeOptions) => petstore.pets.update(id, { name: "Max" }, options)
    await isConditional(petstore, [id], update, [9, 2, 1])
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
