// Prints the bytes that a pet, an order, its completion and the events of both take: `node --expose-gc sizes.ts COUNT [FILE]`, of the heap or of
// a file.

import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"

const [, , rows = "", file] = process.argv
const count = Number(rows)

const heapSize = async (): Promise<number> => {
  for (let i = 0; i < 3; i++) {
    await setTimeout(50)
    globalThis.gc?.()
  }
  return process.memoryUsage().heapUsed
}

/** The bytes of the tables whose name begins like this, with their indexes. */
const fileSize = (path: string, begin: string): number => {
  using database = new DatabaseSync(path)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  return Number(database.prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE ?").get(`${begin}%`)?.bytes)
}

const size = async (): Promise<number> => (file === undefined ? heapSize() : fileSize(file, ""))
const eventsSize = (): number => (file === undefined ? 0 : fileSize(file, "petstore_events"))

const petstore = await createPetstore(file === undefined ? {} : { storage: sqlite(file) })
const { id: categoryId } = await petstore.categories.create({ name: "Cats" })

const times = async (call: (index: number) => Promise<unknown>): Promise<void> => {
  for (let first = 0; first < count; first += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, index) => call(first + index)))
  }
}
const bytesOf = async (call: (index: number) => Promise<unknown>): Promise<number> => {
  const before = await size()
  await times(call)
  return ((await size()) - before) / count
}

const pet = await bytesOf((index) => petstore.pets.create({ name: `Cat ${index}`, categoryId }))
await times((index) => petstore.inventory.set(1 + index, 10))
const before = eventsSize()
const order = await bytesOf((index) => petstore.orders.place({ petId: 1 + index }))
const completion = await bytesOf((index) => petstore.orders.complete(1 + index))
const events = (eventsSize() - before) / count
await petstore.close()
console.log(JSON.stringify({ pet, order, completion, events }))
