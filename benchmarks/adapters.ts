// Orders per second of one pet on each adapter, durable where the adapter is, one after another and 64 at once.
// Each round runs every variant once, so that other load on the machine affects all of them equally. The first round is not counted:
// in it the code becomes fast.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, memory } from "@petstore/core"
import { lmdb } from "../examples/custom-adapter/lmdb.ts"

const rounds = 3
const orders = 320
const folder = mkdtempSync(join(tmpdir(), "petstore-adapters-"))

const ordersPerSecond = async (storage: ReturnType<typeof memory>, atOnce: number): Promise<number> => {
  await using petstore = await createPetstore({ storage })
  const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
  const { id: petId } = await petstore.pets.create({ name: "Guppy", categoryId })
  await petstore.inventory.set(petId, 1_000_000)
  const begin = performance.now()
  for (let placed = 0; placed < orders; placed += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, () => petstore.orders.place({ petId })))
  }
  return (orders / (performance.now() - begin)) * 1_000
}

const results = new Map<string, Array<number>>()
for (let round = 0; round <= rounds; round++) {
  for (const atOnce of [1, 64]) {
    const file = join(folder, `${round}-${atOnce}`)
    for (const storage of [memory(), sqlite(`${file}.db`), lmdb(`${file}.mdb`)]) {
      const name = `${storage.name}, ${atOnce} at once`
      const measured = await ordersPerSecond(storage, atOnce)
      if (round > 0) results.set(name, [...(results.get(name) ?? []), measured])
    }
  }
}
rmSync(folder, { recursive: true })

for (const [name, found] of results) {
  const sorted = found.sort((a, b) => a - b)
  console.log(`${name}: ${Math.round(sorted[Math.floor(rounds / 2)] ?? 0)} orders/s`)
}
