import { limits } from "@petstore/core/domain"
import { same } from "../check.ts"
import { engineCases } from "./cases.ts"
import { heldPetOf, orderOf, petOf, unknown } from "./given.ts"
import { refused } from "./refused.ts"
import { stockOf, unchanged } from "./seen.ts"

export const inventoryCases = engineCases("inventory", {
  "an inventory item tells quantity, reserved and available units": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 2)
    const { version, ...item } = await petstore.inventory.get(petId)
    same(item, { petId, quantity: 5, reserved: 2, available: 3, status: "available" })
    same(version, 3, "the version after setting 5 and reserving 2")
  },
  "the inventory of an unknown pet is not found": async (petstore) => {
    await refused("not_found", petstore.inventory.get(unknown))
    await refused("not_found", petstore.inventory.set(unknown, 1))
    await refused("not_found", petstore.inventory.movements(unknown))
  },
  "setting a quantity and reading it gives that quantity": async (petstore) => {
    const petId = await petOf(petstore, 1)
    for (const quantity of [7, 3, 0, 12]) {
      const answer = await petstore.inventory.set(petId, quantity)
      same(answer.quantity, quantity)
      same(await petstore.inventory.get(petId), answer)
    }
  },
  "a quantity of -0 is 0": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const { quantity } = await petstore.inventory.set(petId, -0)
    same(Object.is(quantity, 0), true, "0 rather than -0")
    same(await stockOf(petstore, petId), { status: "sold", quantity: 0, reserved: 0, available: 0 })
  },
  "setting the quantity that is there changes nothing": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await unchanged(petstore, [petId], () => petstore.inventory.set(petId, 5))
  },
  "placing an order leaves the quantity, shipping lowers it": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const order = await orderOf(petstore, petId, 2)
    same((await petstore.inventory.get(petId)).quantity, 5)
    await petstore.orders.complete(order)
    same(await stockOf(petstore, petId), { status: "available", quantity: 3, reserved: 0, available: 3 })
  },
  "a quantity below the reserved units is refused": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 3)
    await unchanged(petstore, [petId], async () => {
      const numbers = { petId, quantity: 2, reserved: 3 }
      await refused("quantity_below_reserved", petstore.inventory.set(petId, 2), numbers)
      await refused("quantity_below_reserved", petstore.inventory.set(petId, 0), { ...numbers, quantity: 0 })
    })
  },
  "a quantity equal to the reserved units leaves none free": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 3)
    await petstore.inventory.set(petId, 3)
    same(await stockOf(petstore, petId), { status: "pending", quantity: 3, reserved: 3, available: 0 })
  },
  "a pet on hold is restocked and stays on hold": async (petstore) => {
    const petId = await heldPetOf(petstore, 2)
    await petstore.inventory.set(petId, 9)
    same(await stockOf(petstore, petId), { status: "pending", quantity: 9, reserved: 0, available: 0 })
  },
  "the largest quantity is kept exactly": async (petstore) => {
    const petId = await petOf(petstore, limits.stock)
    await orderOf(petstore, petId, limits.orderQuantity)
    same(await stockOf(petstore, petId), {
      status: "available",
      quantity: limits.stock,
      reserved: limits.orderQuantity,
      available: limits.stock - limits.orderQuantity
    })
  }
})
