import { limits, parseTimestamp } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { orderOf, petOf, unknown } from "./given.ts"
import { assertUnchanged, collect, ledger, stockOf } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

export const inventoryCases = petstoreCases("inventory", {
  "an inventory item has quantity, reserved and available units": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 2)
    const { version, ...item } = await petstore.inventory.get(petId)
    assertEqual(item, { petId, quantity: 5, reserved: 2, available: 3, status: "available" })
    assertEqual(version, 3, "the version after setting 5 and reserving 2")
  },
  "the inventory of an unknown pet is not found": async (petstore) => {
    await rejectsWith("not_found", petstore.inventory.get(unknown))
    await rejectsWith("not_found", petstore.inventory.set(unknown, 1))
    await rejectsWith("not_found", petstore.inventory.movements(unknown))
  },
  "what runs out is listed by the units that can be ordered, whatever the pages, statuses and directions": async (
    petstore
  ) => {
    const ids: Array<number> = []
    for (const quantity of [9, 3, 0, 7, 2]) ids.push(await petOf(petstore, quantity))
    const [, few, none, reserved, held] = ids as [number, number, number, number, number]
    await orderOf(petstore, reserved, 6)
    await petstore.pets.update(held, { status: "pending" })
    const listed = async (filter: Parameters<typeof petstore.inventory.list>[0]) =>
      (await collect(petstore.inventory.all(filter))).map(({ petId }) => petId)
    for (const limit of [1, 2, 100]) {
      assertEqual(await listed({ maxAvailable: 3, limit }), [few, none, reserved, held], `pages of ${limit}`)
      assertEqual(await listed({ maxAvailable: 1, sort: "-id", limit }), [held, reserved, none])
    }
    assertEqual(await listed({ maxAvailable: 0 }), [none, held])
    assertEqual(await listed({ maxAvailable: 3, status: "available" }), [few, reserved])
    const { next = "" } = await petstore.inventory.list({ maxAvailable: 3, limit: 1 })
    await rejectsWith("invalid_cursor", petstore.inventory.list({ maxAvailable: 2, cursor: next }))
    await rejectsWith("invalid_cursor", petstore.inventory.list({ cursor: next }))
    for (const maxAvailable of [-1, 0.5, limits.stock + 1]) {
      await rejectsInput(petstore.inventory.list({ maxAvailable }), "/query/maxAvailable")
    }
  },
  "a quantity is read as it was set": async (petstore) => {
    const petId = await petOf(petstore, 1)
    for (const quantity of [7, 3, 0, 12]) {
      const item = await petstore.inventory.set(petId, quantity)
      assertEqual(item.quantity, quantity)
      assertEqual(await petstore.inventory.get(petId), item)
    }
  },
  "the ledger has each movement in order, numbered from 1, with its time and actor": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const orderId = await orderOf(petstore, petId, 2)
    await petstore.orders.complete(orderId)
    assertEqual(await ledger(petstore, petId), [
      ["initial", 1, 0],
      ["set", 4, 0],
      ["reserved", 0, 2, orderId],
      ["shipped", -2, -2, orderId]
    ])
    const movements = await collect(petstore.inventory.allMovements(petId))
    assertEqual(
      movements.map(({ petId: of, seq }) => [of, seq]),
      [1, 2, 3, 4].map((seq) => [petId, seq])
    )
    const times = movements.map(({ at }) => parseTimestamp(at) ?? Number.NaN)
    assertTrue(
      times.every((at, index) => at >= (times[index - 1] ?? 0)),
      "no movement is earlier than the one before"
    )
    assertTrue(
      movements.every(({ actor }) => actor.length > 0),
      "each movement has its actor"
    )
  },
  "a quantity of -0 is 0": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const { quantity } = await petstore.inventory.set(petId, -0)
    assertEqual(Object.is(quantity, 0), true, "0 rather than -0")
    assertEqual(await stockOf(petstore, petId), { status: "sold", quantity: 0, reserved: 0, available: 0 })
  },
  "setting the current quantity changes nothing": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await assertUnchanged(petstore, [petId], () => petstore.inventory.set(petId, 5))
  },
  "a quantity below the reserved units is rejected": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 3)
    await assertUnchanged(petstore, [petId], async () => {
      const numbers = { petId, quantity: 2, reserved: 3 }
      await rejectsWith("quantity_below_reserved", petstore.inventory.set(petId, 2), numbers)
      await rejectsWith("quantity_below_reserved", petstore.inventory.set(petId, 0), { ...numbers, quantity: 0 })
    })
  },
  "the largest quantity is kept exactly": async (petstore) => {
    const petId = await petOf(petstore, limits.stock)
    await orderOf(petstore, petId, limits.orderQuantity)
    assertEqual(await stockOf(petstore, petId), {
      status: "available",
      quantity: limits.stock,
      reserved: limits.orderQuantity,
      available: limits.stock - limits.orderQuantity
    })
  }
})
