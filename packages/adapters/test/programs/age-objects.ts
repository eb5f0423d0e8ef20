// Adds many pets by one command, then places orders, one by one and in transactions. Writes how many bytes of one order, and of one
// transaction, V8 has taken for long-lived.

import { getHeapSpaceStatistics } from "node:v8"
import { createPetstore } from "@petstore/core"
import { sqlite } from "../../src/sqlite/index.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , file = ""] = process.argv
const petstore = await createPetstore({ storage: sqlite(file) })
const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
const pets = Array.from({ length: 1_000 }, (_, n) => ({ name: `Cat ${n}`, categoryId }))
await petstore.pets.createAll(pets)
await petstore.inventory.adjustAll(pets.map((_, n) => ({ petId: n + 1, delta: 1_000_000, reason: "received" })))

const oldSpace = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0

/** The most of several parts: in some V8 collects old objects, too. */
const agedBytes = async (
  callers: number,
  calls: number,
  call: (petId: number) => Promise<unknown>
): Promise<number> => {
  const parts: Array<number> = []
  for (let part = 0; part < 8; part++) {
    const before = oldSpace()
    const caller = async (): Promise<void> => {
      for (let n = 0; n < calls / callers; n++) await call(1 + ((n * 7) % pets.length))
    }
    await Promise.all(Array.from({ length: callers }, caller))
    parts.push((oldSpace() - before) / calls)
  }
  // The first half compiles, and fills caches.
  return Math.round(Math.max(...parts.slice(4)))
}

const place = (petId: number) => petstore.orders.place({ petId })
writeLine(`${await agedBytes(64, 4_096, place)}`)
writeLine(`${await agedBytes(1, 512, (petId) => petstore.transaction((tx) => tx.orders.place({ petId })))}`)
await petstore.close()
