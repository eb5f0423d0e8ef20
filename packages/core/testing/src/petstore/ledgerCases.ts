import { type OrderUpdate, parseTimestamp } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf } from "./given.ts"
import { collect, ledger, movementsOf } from "./inspect.ts"

export const ledgerCases = petstoreCases("stock ledger", {
  "a new pet starts its ledger": async (petstore) => {
    const categoryId = await category(petstore)
    const start = async (status: "available" | "pending" | "sold") =>
      ledger(petstore, (await petstore.pets.create({ name: "Rex", categoryId, status })).id)
    assertEqual(await start("available"), [["initial", 1, 0]])
    assertEqual(await start("pending"), [
      ["initial", 1, 0],
      ["held", 0, 0]
    ])
    assertEqual(await start("sold"), [["initial", 0, 0]])
  },
  "a quantity moves the difference, a hold and its end move no units, and a sale writes all units off": async (
    petstore
  ) => {
    const id = await petOf(petstore, 5)
    const moved = (command: () => Promise<unknown>) => movementsOf(petstore, id, command)
    assertEqual(await moved(() => petstore.inventory.set(id, 8)), [["set", 3, 0]])
    assertEqual(await moved(() => petstore.inventory.set(id, 0)), [["set", -8, 0]])
    await petstore.inventory.set(id, 5)
    assertEqual(await moved(() => petstore.pets.update(id, { status: "pending" })), [["held", 0, 0]])
    assertEqual(await moved(() => petstore.pets.update(id, { status: "available" })), [["unheld", 0, 0]])
    assertEqual(await moved(() => petstore.pets.update(id, { status: "sold" })), [["written_off", -5, 0]])
  },
  "an order reserves its units, and ships them or gives them back": async (petstore) => {
    const id = await petOf(petstore, 9)
    const moved = (command: () => Promise<unknown>) => movementsOf(petstore, id, command)
    let order = 0
    const placed = await moved(async () => {
      order = await orderOf(petstore, id, 2)
    })
    assertEqual(placed, [["reserved", 0, 2, order]])
    assertEqual(await moved(() => petstore.orders.complete(order)), [["shipped", -2, -2, order]])
    const other = await orderOf(petstore, id, 2)
    assertEqual(await moved(() => petstore.orders.cancel(other)), [["cancelled", 0, -2, other]])
    const completed = await moved(async () => {
      order = (await petstore.orders.place({ petId: id, quantity: 2, complete: true })).id
    })
    assertEqual(completed, [
      ["reserved", 0, 2, order],
      ["shipped", -2, -2, order]
    ])
  },
  "a draft moves nothing until it gets a pet": async (petstore) => {
    const id = await petOf(petstore, 5)
    const { id: order } = await petstore.orders.place({ quantity: 2 })
    assertEqual(await ledger(petstore, id), [
      ["initial", 1, 0],
      ["set", 4, 0]
    ])
    const opened = await movementsOf(petstore, id, () => petstore.orders.update(order, { petId: id }))
    assertEqual(opened, [["reserved", 0, 2, order]])
    const { id: other } = await petstore.orders.place({})
    assertEqual(await movementsOf(petstore, id, () => petstore.orders.update(other, { petId: id, complete: true })), [
      ["reserved", 0, 1, other],
      ["shipped", -1, -1, other]
    ])
  },
  "raising and lowering an open order moves the difference, and shipping it moves all": async (petstore) => {
    const id = await petOf(petstore, 5)
    const order = await orderOf(petstore, id, 2)
    const moved = (update: OrderUpdate) => movementsOf(petstore, id, () => petstore.orders.update(order, update))
    assertEqual(await moved({ quantity: 5 }), [["reserved", 0, 3, order]])
    assertEqual(await moved({ quantity: 1 }), [["unreserved", 0, -4, order]])
    assertEqual(await moved({ quantity: 3, complete: true }), [
      ["reserved", 0, 2, order],
      ["shipped", -3, -3, order]
    ])
  },
  "an open order that moves to another pet moves its reservation": async (petstore) => {
    const [from, to] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const order = await orderOf(petstore, from, 2)
    const update = { petId: to, quantity: 3, complete: true }
    let left: unknown
    const arrived = await movementsOf(petstore, to, async () => {
      left = await movementsOf(petstore, from, () => petstore.orders.update(order, update))
    })
    assertEqual(left, [["unreserved", 0, -2, order]])
    assertEqual(arrived, [
      ["reserved", 0, 3, order],
      ["shipped", -3, -3, order]
    ])
  },
  "movements are numbered from 1, timed, signed and in order": async (petstore) => {
    const id = await petOf(petstore, 5)
    await petstore.orders.complete(await orderOf(petstore, id, 2))
    const movements = await collect(petstore.inventory.allMovements(id))
    assertEqual(
      movements.map(({ seq, petId }) => [seq, petId]),
      [1, 2, 3, 4].map((seq) => [seq, id])
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
  }
})
