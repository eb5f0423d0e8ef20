import { PetstoreError } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { orderOf, petOf } from "./given.ts"
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

export const raceCases = petstoreCases("races", {
  "of 50 orders for 10 units 10 are placed": async (petstore) => {
    const petId = await petOf(petstore, 10)
    const ended = await outcomes(times(50, () => petstore.orders.place({ petId })))
    assertEqual(ended, { done: 10, insufficient_stock: 40 })
    assertEqual(await stockOf(petstore, petId), { status: "pending", quantity: 10, reserved: 10, available: 0 })
    await assertBalanced(petstore, petId)
  },
  "50 orders placed and cancelled give all units back": async (petstore) => {
    const petId = await petOf(petstore, 50)
    const place = async () => petstore.orders.cancel(await orderOf(petstore, petId))
    assertEqual(await outcomes(times(50, place)), { done: 50 })
    assertEqual(await stockOf(petstore, petId), { status: "available", quantity: 50, reserved: 0, available: 50 })
    await assertBalanced(petstore, petId)
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
  "of two admin keys that are revoked concurrently, one stays": async (petstore) => {
    const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
    const adminKey = () => petstore.apiKeys.create({ accountId, name: "Admin", preset: "admin" })
    const ids = [(await adminKey()).id, (await adminKey()).id]
    const ended = await outcomes(ids.map((id) => () => petstore.apiKeys.revoke(id)))
    assertEqual(ended, { done: 1, last_admin_key: 1 })
    assertEqual((await petstore.apiKeys.list()).items.length, 1)
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
