import { createPetstore, type Petstore } from "@petstore/core"
import { furnish, idOf, pets } from "../../load/furnish.ts"
import { furnishedByHand, openFurnished } from "../inProcess/byHand.ts"
import { type Contender, type Contenders, callUntil } from "../inProcess/Contender.ts"
import { prepare } from "../peers/Database.ts"

/** How many calls are made between two looks at the clock. */
const glance = 64

const loop = (call: (id: number) => unknown): Contender => ({
  work: async (end) => {
    let calls = 0
    while (performance.now() < end) for (let i = 0; i < glance; i++) await call(idOf(calls++))
    return calls
  }
})

const placing = (petstore: Petstore, callers: number): Contender => ({
  work: (end) => callUntil(end, callers, (n) => petstore.orders.place({ petId: idOf(n) }))
})

/** Three orders at a time. */
const transactions = (callers: number, run: (ids: ReadonlyArray<number>) => Promise<unknown>): Contender => ({
  work: (end) => callUntil(end, callers, (n) => run([3 * n, 3 * n + 1, 3 * n + 2].map(idOf)))
})

const ourTransactions = async (folder: string, callers: number): Promise<Contender> => {
  const petstore = await openFurnished(folder)
  return transactions(callers, (ids) =>
    petstore.transaction(async (tx) => {
      for (const petId of ids) await tx.orders.place({ petId })
    })
  )
}

const rawTransactions = async (folder: string, callers: number): Promise<Contender> => {
  const { placeAll } = await furnishedByHand(folder)
  return transactions(callers, async (ids) => {
    placeAll(ids)
    // As in a server, where the next calls arrive in another turn.
    await new Promise((resolve) => setImmediate(resolve))
  })
}

/** Each order copies its pet and appends a movement and two events, as a store must that can undo them. */
const placingInMaps = (): Contender => {
  const ids = Array.from({ length: pets }, (_, n) => n + 1)
  const stock = new Map(ids.map((id) => [id, { onHand: 1_000_000, reserved: 0, version: 1 }]))
  const [orders, movements, events] = [new Map<number, object>(), [] as object[], [] as object[]]
  return loop((petId) => {
    const before = stock.get(petId)
    if (before === undefined || before.reserved >= before.onHand) throw new Error("It is sold out")
    const after = { ...before, reserved: before.reserved + 1, version: before.version + 1 }
    stock.set(petId, after)
    const id = orders.size + 1
    const order = { id, petId, quantity: 1, complete: false }
    orders.set(id, order)
    const at = new Date().toISOString()
    movements.push({ petId, kind: "reserved", deltaReserved: 1, orderId: id, at })
    events.push({ type: "order.placed", subject: `orders/${id}`, at, data: { ...order } })
    events.push({ type: "inventory.updated", subject: `inventory/${petId}`, at, data: { ...after } })
  })
}

export const contenders: Contenders = {
  get: async ({ folder }) => {
    const petstore = await openFurnished(folder)
    return loop((id) => petstore.pets.get(id))
  },
  "get by hand": async ({ folder }) => {
    const { database } = await furnishedByHand(folder)
    const find = prepare<Record<string, unknown>>(
      database,
      "SELECT id, name, category_id, status, version FROM petstore_pets WHERE id = ? AND NOT deleted"
    )
    return loop((id) => {
      const { category_id, name, status } = find.get(id) ?? {}
      return { id, name, categoryId: category_id, status }
    })
  },
  place: async ({ folder }) => placing(await openFurnished(folder), 64),
  "place, 16": async ({ folder }) => placing(await openFurnished(folder), 16),
  "place by hand": async ({ folder }) => {
    const { placeTogether } = await furnishedByHand(folder)
    return { work: (end) => callUntil(end, 64, (n) => placeTogether(idOf(n))) }
  },
  "place in memory": async () => placing(await furnish(await createPetstore()), 64),
  "place in Maps": async () => placingInMaps(),
  "transaction, 1": ({ folder }) => ourTransactions(folder, 1),
  "transaction, 16": ({ folder }) => ourTransactions(folder, 16),
  "transaction by hand, 1": ({ folder }) => rawTransactions(folder, 1),
  "transaction by hand, 16": ({ folder }) => rawTransactions(folder, 16),
  "three calls": async ({ folder }) => {
    const petstore = await openFurnished(folder)
    return transactions(16, async (ids) => {
      for (const petId of ids) await petstore.orders.place({ petId })
    })
  }
}
