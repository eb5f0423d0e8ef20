import { limits } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { engineCases } from "./cases.ts"
import { orderOf, petOf, unknown } from "./given.ts"
import { assertUnchanged, stockOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

export const inventoryCases = engineCases("inventory", {
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
  "a quantity is read as it was set": async (petstore) => {
    const petId = await petOf(petstore, 1)
    for (const quantity of [7, 3, 0, 12]) {
      const item = await petstore.inventory.set(petId, quantity)
      assertEqual(item.quantity, quantity)
      assertEqual(await petstore.inventory.get(petId), item)
    }
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
