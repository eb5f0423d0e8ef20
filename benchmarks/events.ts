// What subscribers cost a commit: the CPU time of an order with 0, 1, 100 and 1,000 of them. Every variant runs in each round, so
// that other load on the machine affects all of them equally, and its ratio to no subscriber is that of the same round.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"

const rounds = 5
const folder = mkdtempSync(join(tmpdir(), "petstore-events-"))

/** How orders are placed, and who listens. */
const loads = [
  { name: "64 at once", atOnce: 64, orders: 6_400 },
  { name: "one after another", atOnce: 1, orders: 640 }
] as const
const listeners = {
  "every event": () => ({}),
  "one type of ten": () => ({ types: ["order.cancelled"] as const })
} as const
const counts = [0, 1, 100, 1_000]

let file = 0
const microsecondsPerOrder = async (
  load: (typeof loads)[number],
  options: (typeof listeners)[keyof typeof listeners],
  count: number
): Promise<number> => {
  await using petstore: Petstore = await createPetstore({ storage: sqlite(join(folder, `${++file}.db`)) })
  const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
  const { id: petId } = await petstore.pets.create({ name: "Guppy", categoryId })
  await petstore.inventory.set(petId, 1_000_000)
  let received = 0
  const subscriptions: Array<{ readonly position: number }> = []
  for (let i = 0; i < count; i++) subscriptions.push(await petstore.events.subscribe(() => received++, options()))
  const place = async (orders: number) => {
    for (let placed = 0; placed < orders; placed += load.atOnce) {
      await Promise.all(Array.from({ length: load.atOnce }, () => petstore.orders.place({ petId })))
    }
    const last = await petstore.events.latest()
    while (subscriptions.some(({ position }) => position < last)) await new Promise((done) => setTimeout(done, 1))
  }
  await place(load.orders / 4)
  received = 0
  const before = process.cpuUsage()
  await place(load.orders)
  const { system, user } = process.cpuUsage(before)
  const isEvery = options === listeners["every event"]
  if (received !== (isEvery ? 2 * load.orders * count : 0)) throw new Error(`${received} events were received`)
  return (user + system) / load.orders
}

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

for (const load of loads) {
  for (const [name, options] of Object.entries(listeners)) {
    const costs = counts.map((): Array<number> => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, count] of counts.entries())
        costs[index]?.push(await microsecondsPerOrder(load, options, count))
    }
    for (const [index, count] of counts.entries()) {
      const found = costs[index] ?? []
      const ratios = found.map((cost, round) => cost / (costs[0]?.[round] ?? Number.NaN))
      console.log(
        `orders ${load.name}, ${count} subscribers to ${name}: ${Math.round(median(found))} us of CPU an order, x ${median(ratios).toFixed(2)}`
      )
    }
  }
}
rmSync(folder, { recursive: true })
