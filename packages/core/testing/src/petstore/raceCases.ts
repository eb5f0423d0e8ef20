import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { orderOf, petOf } from "./given.ts"
import { assertBalanced, petAndStock, stockOf } from "./inspect.ts"
import { endOf, endsOf } from "./rejections.ts"

export const raceCases = petstoreCases("races", {
  "of 50 orders for 10 units 10 are placed": async (petstore) => {
    const petId = await petOf(petstore, 10)
    const ended = await endsOf(50, () => petstore.orders.place({ petId }))
    assertEqual(ended, { done: 10, insufficient_stock: 40 })
    assertEqual(await stockOf(petstore, petId), { status: "pending", quantity: 10, reserved: 10, available: 0 })
    await assertBalanced(petstore, petId)
  },
  "50 orders placed and cancelled give all units back": async (petstore) => {
    const petId = await petOf(petstore, 50)
    const place = async () => petstore.orders.cancel(await orderOf(petstore, petId))
    assertEqual(await endsOf(50, place), { done: 50 })
    assertEqual(await stockOf(petstore, petId), { status: "available", quantity: 50, reserved: 0, available: 50 })
    await assertBalanced(petstore, petId)
  },
  "orders that move between two pets in both directions lose no unit": async (petstore) => {
    const [left, right] = [await petOf(petstore, 20), await petOf(petstore, 20)]
    const orders: Array<number> = []
    for (let n = 0; n < 10; n++) orders.push(await orderOf(petstore, n % 2 === 0 ? left : right))
    const move = (n: number) =>
      petstore.orders.update(orders[n] ?? 0, { petId: n % 2 === 0 ? right : left, quantity: 2 })
    assertEqual(await endsOf(10, move), { done: 10 })
    assertEqual([(await stockOf(petstore, left)).reserved, (await stockOf(petstore, right)).reserved], [10, 10])
    await assertBalanced(petstore, left)
    await assertBalanced(petstore, right)
  },
  "of many categories with one name, one is created": async (petstore) => {
    const create = (n: number) => petstore.categories.create({ name: n % 2 === 0 ? "Dogs" : "DOGS" })
    assertEqual(await endsOf(20, create), { done: 1, category_name_taken: 19 })
    assertEqual((await petstore.categories.list()).items.length, 1)
  },
  "of many accounts with one name, one is created": async (petstore) => {
    const ended = await endsOf(20, () => petstore.accounts.create({ name: "Shop" }))
    assertEqual(ended, { done: 1, account_name_taken: 19 })
  },
  "of two admin keys that are revoked concurrently, one stays": async (petstore) => {
    const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
    const adminKey = () => petstore.apiKeys.create({ accountId, name: "Admin", preset: "admin" })
    const ids = [(await adminKey()).id, (await adminKey()).id]
    const ended = await endsOf(2, (n) => petstore.apiKeys.revoke(ids[n] ?? 0))
    assertEqual(ended, { done: 1, last_admin_key: 1 })
    assertEqual((await petstore.apiKeys.list()).items.length, 1)
  },
  "no change is lost if writers read, change and retry": async (petstore) => {
    const petId = await petOf(petstore, 0)
    const addOne = async (): Promise<void> => {
      const { quantity, version } = await petstore.inventory.get(petId)
      const end = await endOf(petstore.inventory.set(petId, quantity + 1, { ifVersion: version }))
      if (end !== "done") await addOne()
    }
    assertEqual(await endsOf(10, addOne), { done: 10 })
    const { stockVersion, quantity } = await petAndStock(petstore, petId)
    assertEqual([quantity, stockVersion], [10, 12])
    await assertBalanced(petstore, petId)
  }
})
