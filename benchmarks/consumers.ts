// How many events a second a durable consumer handles that is behind. What one costs an order: npm run bench:subscribers.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, memory, type Petstore, type StorageAdapter } from "@petstore/core"
import { printHeader, printRow, spread } from "./compare.ts"

const rounds = 5
const folder = mkdtempSync(join(tmpdir(), "petstore-consumers-"))
let file = 0
const adapters: Readonly<Record<string, () => StorageAdapter>> = {
  memory,
  sqlite: () => sqlite(join(folder, `${++file}.db`))
}

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

printHeader("events a second")
for (const [name, open] of Object.entries(adapters)) {
  const speeds: Array<number> = []
  for (let round = 0; round < rounds; round++) speeds.push(await speed(open()))
  printRow(`${name}, a consumer that is behind`, spread(speeds, 0))
}
rmSync(folder, { recursive: true })
