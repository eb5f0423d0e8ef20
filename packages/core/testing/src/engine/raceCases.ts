import type { PetstoreApi } from "@petstore/core"
import { PetstoreError } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { engineCases } from "./cases.ts"
import { category, orderOf, petOf } from "./given.ts"
import { assertBalanced, petAndStock, stockOf } from "./inspect.ts"

/** Makes all calls concurrently and counts their outcomes: "done", or an error code. */
const outcomes = async (calls: ReadonlyArray<() => Promise<unknown>>): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {}
  for (const settled of await Promise.allSettled(calls.map((call) => call()))) {
    if (settled.status === "rejected" && !(settled.reason instanceof PetstoreError)) throw settled.reason
    const outcome: string = settled.status === "fulfilled" ? "done" : settled.reason.code
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

const times = <A>(count: number, call: (n: number) => Promise<A>) =>
  Array.from({ length: count }, (_, n) => () => call(n))

/** Whether the call succeeds; false if it is rejected. */
const succeeds = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    () => false
  )

const isFound = (petstore: PetstoreApi, orderId: number) => succeeds(petstore.orders.get(orderId))

export const raceCases = engineCases("races", {
  "of 50 orders for 10 units 10 are placed": async (petstore) => {
    const petId = await petOf(petstore, 10)
    const ended = await outcomes(times(50, () => petstore.orders.place({ petId })))
    assertEqual(ended, { done: 10, insufficient_stock: 40 })
    assertEqual(await stockOf(petstore, petId), { status: "pending", quantity: 10, reserved: 10, available: 0 })
    await assertBalanced(petstore, petId)
  },
  "of 50 orders that ship at once 10 units, 10 are shipped": async (petstore) => {
    const petId = await petOf(petstore, 10)
    const ended = await outcomes(times(50, () => petstore.orders.place({ petId, complete: true })))
    assertEqual(ended, { done: 10, pet_not_available: 40 })
    assertEqual(await stockOf(petstore, petId), { status: "sold", quantity: 0, reserved: 0, available: 0 })
    await assertBalanced(petstore, petId)
  },
  "orders of different sizes never take more than there is": async (petstore) => {
    const petId = await petOf(petstore, 20)
    await outcomes(times(50, (n) => petstore.orders.place({ petId, quantity: 1 + (n % 7) })))
    const open = (await petstore.orders.list({ petId, limit: 100 })).items
    const { reserved, quantity } = await stockOf(petstore, petId)
    assertEqual(
      open.reduce((sum, order) => sum + (order.quantity ?? 0), 0),
      reserved
    )
    assertTrue(
      (reserved ?? 0) <= quantity && (reserved ?? 0) > quantity - 7,
      `${reserved} of ${quantity} units are reserved`
    )
    await assertBalanced(petstore, petId)
  },
  "50 orders placed and cancelled give all units back": async (petstore) => {
    const petId = await petOf(petstore, 50)
    const place = async () => petstore.orders.cancel(await orderOf(petstore, petId))
    assertEqual(await outcomes(times(50, place)), { done: 50 })
    assertEqual(await stockOf(petstore, petId), { status: "available", quantity: 50, reserved: 0, available: 50 })
    await assertBalanced(petstore, petId)
  },
  "of cancelling and completing an order, one succeeds": async (petstore) => {
    for (let round = 0; round < 10; round++) {
      const petId = await petOf(petstore, 5)
      const order = await orderOf(petstore, petId, 2)
      const calls = [() => petstore.orders.cancel(order), () => petstore.orders.complete(order)]
      const ended = await outcomes(round % 2 === 0 ? calls : calls.reverse())
      const shipped = await isFound(petstore, order)
      assertEqual(ended, { done: 1, [shipped ? "order_already_complete" : "not_found"]: 1 })
      assertEqual((await stockOf(petstore, petId)).quantity, shipped ? 3 : 5)
      await assertBalanced(petstore, petId)
    }
  },
  "of many cancellations of an order one succeeds, and its units are released once": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const order = await orderOf(petstore, petId, 2)
    assertEqual(await outcomes(times(20, () => petstore.orders.cancel(order))), { done: 1, not_found: 19 })
    assertEqual((await stockOf(petstore, petId)).available, 5)
    await assertBalanced(petstore, petId)
  },
  "many completions of an order ship it once": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const order = await orderOf(petstore, petId, 2)
    assertEqual(await outcomes(times(20, () => petstore.orders.complete(order))), { done: 20 })
    assertEqual((await petstore.orders.get(order)).version, 2)
    assertEqual(await stockOf(petstore, petId), { status: "available", quantity: 3, reserved: 0, available: 3 })
    await assertBalanced(petstore, petId)
  },
  "amending, completing and cancelling an order concurrently has the effect of some sequence": async (petstore) => {
    for (let round = 0; round < 10; round++) {
      const petId = await petOf(petstore, 5)
      const order = await orderOf(petstore, petId, 2)
      const calls = [
        () => petstore.orders.update(order, { quantity: 4 }),
        () => petstore.orders.complete(order),
        () => petstore.orders.cancel(order)
      ]
      await outcomes([...calls.slice(round % 3), ...calls.slice(0, round % 3)])
      const { quantity, reserved } = await stockOf(petstore, petId)
      assertEqual(reserved, 0)
      const shipped = (await isFound(petstore, order)) ? (await petstore.orders.get(order)).quantity : 0
      assertEqual(5 - quantity, shipped, "the units that left the store")
      await assertBalanced(petstore, petId)
    }
  },
  "orders that move between two pets in both directions lose no unit": async (petstore) => {
    const [left, right] = [await petOf(petstore, 20), await petOf(petstore, 20)]
    const orders = await Promise.all(
      times(10, (n) => orderOf(petstore, n % 2 === 0 ? left : right)).map((call) => call())
    )
    const move = (n: number) =>
      petstore.orders.update(orders[n] ?? 0, { petId: n % 2 === 0 ? right : left, quantity: 2 })
    assertEqual(await outcomes(times(10, move)), { done: 10 })
    assertEqual([(await stockOf(petstore, left)).reserved, (await stockOf(petstore, right)).reserved], [10, 10])
    await assertBalanced(petstore, left)
    await assertBalanced(petstore, right)
  },
  "raising many orders never takes more than there is": async (petstore) => {
    const petId = await petOf(petstore, 20)
    const orders = await Promise.all(times(10, () => orderOf(petstore, petId)).map((call) => call()))
    const ended = await outcomes(orders.map((id) => () => petstore.orders.update(id, { quantity: 4 })))
    assertEqual(ended, { done: 3, insufficient_stock: 7 })
    await assertBalanced(petstore, petId)
  },
  "setting the stock never goes below what is being reserved": async (petstore) => {
    const petId = await petOf(petstore, 10)
    await outcomes([
      ...times(10, () => petstore.orders.place({ petId })),
      ...times(10, (n) => petstore.inventory.set(petId, n)),
      ...times(10, () => petstore.orders.place({ petId, complete: true }))
    ])
    await assertBalanced(petstore, petId)
  },
  "a pet is deleted or ordered, not both": async (petstore) => {
    for (let round = 0; round < 10; round++) {
      const petId = await petOf(petstore, 1)
      const calls = [() => petstore.pets.delete(petId), () => petstore.orders.place({ petId })]
      const ended = await outcomes(round % 2 === 0 ? calls : calls.reverse())
      const kept = await succeeds(petstore.pets.get(petId))
      assertEqual(ended, { done: 1, [kept ? "pet_has_open_orders" : "unknown_pet"]: 1 })
    }
  },
  "a pet is written off or ordered, not both": async (petstore) => {
    for (let round = 0; round < 10; round++) {
      const petId = await petOf(petstore, 1)
      const calls = [() => petstore.pets.update(petId, { status: "sold" }), () => petstore.orders.place({ petId })]
      const ended = await outcomes(round % 2 === 0 ? calls : calls.reverse())
      const sold = (await petstore.pets.get(petId)).status === "sold"
      assertEqual(ended, { done: 1, [sold ? "pet_not_available" : "pet_has_open_orders"]: 1 })
      await assertBalanced(petstore, petId)
    }
  },
  "after a hold no more orders are placed": async (petstore) => {
    const petId = await petOf(petstore, 50)
    const hold = () => petstore.pets.update(petId, { status: "pending" })
    const place = () => petstore.orders.place({ petId })
    const { done = 0, pet_not_available: late = 0 } = await outcomes([...times(10, place), hold, ...times(10, place)])
    assertEqual(done + late, 21)
    assertEqual((await stockOf(petstore, petId)).reserved, done - 1)
  },
  "a category is deleted or gets a pet, not both": async (petstore) => {
    for (let round = 0; round < 10; round++) {
      const categoryId = await category(petstore)
      const calls = [
        () => petstore.categories.delete(categoryId),
        () => petstore.pets.create({ name: "Rex", categoryId })
      ]
      const ended = await outcomes(round % 2 === 0 ? calls : calls.reverse())
      const kept = await succeeds(petstore.categories.get(categoryId))
      assertEqual(ended, { done: 1, [kept ? "category_in_use" : "unknown_category"]: 1 })
      assertEqual((await petstore.pets.list({ categoryId })).items.length, kept ? 1 : 0)
    }
  },
  "a category is deleted or a pet moves into it, not both": async (petstore) => {
    for (let round = 0; round < 10; round++) {
      const [categoryId, petId] = [await category(petstore), await petOf(petstore, 1)]
      const calls = [() => petstore.categories.delete(categoryId), () => petstore.pets.update(petId, { categoryId })]
      const ended = await outcomes(round % 2 === 0 ? calls : calls.reverse())
      const kept = await succeeds(petstore.categories.get(categoryId))
      assertEqual(ended, { done: 1, [kept ? "category_in_use" : "unknown_category"]: 1 })
    }
  },
  "of many categories with one name, one is created": async (petstore) => {
    const create = (n: number) => petstore.categories.create({ name: n % 2 === 0 ? "Dogs" : "DOGS" })
    assertEqual(await outcomes(times(20, create)), { done: 1, category_name_taken: 19 })
    assertEqual((await petstore.categories.list()).items.length, 1)
  },
  "of many accounts with one name, one is created": async (petstore) => {
    assertEqual(await outcomes(times(20, () => petstore.accounts.create({ name: "Shop" }))), {
      done: 1,
      account_name_taken: 19
    })
  },
  "of many deletions of a pet, one succeeds": async (petstore) => {
    const petId = await petOf(petstore, 1)
    assertEqual(await outcomes(times(20, () => petstore.pets.delete(petId))), { done: 1, not_found: 19 })
  },
  "no change is lost if writers read, change and retry": async (petstore) => {
    const petId = await petOf(petstore, 0)
    const addOne = async (): Promise<void> => {
      const { quantity, version } = await petstore.inventory.get(petId)
      const added = await succeeds(petstore.inventory.set(petId, quantity + 1, { ifVersion: version }))
      if (!added) await addOne()
    }
    await Promise.all(times(10, addOne).map((call) => call()))
    const { stockVersion, quantity } = await petAndStock(petstore, petId)
    assertEqual([quantity, stockVersion], [10, 12])
    await assertBalanced(petstore, petId)
  }
})
