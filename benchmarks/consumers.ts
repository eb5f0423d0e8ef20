// How many events a second a durable consumer handles, and what one costs a commit: the CPU time of an order without and with
// one. Both variants run in each round, so that other load on the machine affects both equally.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, memory, type Petstore, type StorageAdapter } from "@petstore/core"

const rounds = 5
const folder = mkdtempSync(join(tmpdir(), "petstore-consumers-"))
let file = 0
const adapters: Readonly<Record<string, () => StorageAdapter>> = {
  memory,
  sqlite: () => sqlite(join(folder, `${++file}.db`))
}

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const stocked = async (petstore: Petstore): Promise<number> => {
  const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
  const { id: petId } = await petstore.pets.create({ name: "Guppy", categoryId })
  await petstore.inventory.set(petId, 1_000_000)
  return petId
}

const place = async (petstore: Petstore, petId: number, orders: number): Promise<void> => {
  for (let placed = 0; placed < orders; placed += 64) {
    await Promise.all(Array.from({ length: 64 }, () => petstore.orders.place({ petId })))
  }
}

/** Resolves when the consumer has handled the last event that there is now. */
const caughtUp = async (petstore: Petstore, handled: () => number): Promise<void> => {
  const latest = await petstore.events.latest()
  while (handled() < latest) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** Events a second of a consumer that is far behind. */
const speed = async (adapter: StorageAdapter): Promise<number> => {
  await using petstore = await createPetstore({ storage: adapter })
  await place(petstore, await stocked(petstore), 19_200)
  let seq = 0
  const begin = performance.now()
  const consumer = await petstore.events.consume(
    "bench",
    (event) => {
      seq = event.seq
    },
    { after: 0 }
  )
  await caughtUp(petstore, () => seq)
  const seconds = (performance.now() - begin) / 1_000
  await consumer.close()
  return seq / seconds
}

/** Microseconds of CPU for an order. */
const cost = async (adapter: StorageAdapter, isConsumed: boolean): Promise<number> => {
  await using petstore = await createPetstore({ storage: adapter })
  const petId = await stocked(petstore)
  let seq = 0
  const handle = (event: { readonly seq: number }): void => {
    seq = event.seq
  }
  if (isConsumed) await petstore.events.consume("bench", handle, { after: 0 })
  await place(petstore, petId, 1_600)
  const before = process.cpuUsage()
  await place(petstore, petId, 6_400)
  if (isConsumed) await caughtUp(petstore, () => seq)
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 6_400
}

for (const [name, open] of Object.entries(adapters)) {
  const speeds: Array<number> = []
  const costs: Array<readonly [without: number, withOne: number]> = []
  for (let round = 0; round < rounds; round++) {
    speeds.push(await speed(open()))
    costs.push([await cost(open(), false), await cost(open(), true)])
  }
  const [without, withOne] = [median(costs.map(([one]) => one)), median(costs.map(([, one]) => one))]
  const ratio = median(costs.map(([one, other]) => other / one))
  console.log(`${name}: ${Math.round(median(speeds))} events a second through a consumer that is behind`)
  console.log(
    `${name}: an order costs ${Math.round(without)} us of CPU without a consumer, ${Math.round(withOne)} with one (2 events), x ${ratio.toFixed(2)}`
  )
}
rmSync(folder, { recursive: true })
