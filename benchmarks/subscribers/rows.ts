import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, memory } from "@petstore/core"
import type { RowGroup } from "../Bench.ts"
import { measureVariants } from "../compare.ts"
import { rowOf } from "../report/Row.ts"
import { listeners } from "./listeners.ts"

const storages = ["memory", "SQLite"] as const
const atOnce = 64

/** The processor time of an order with a hundred subscribers, against one without any. */
const subscribers = (storage: (typeof storages)[number]): RowGroup => ({
  name: "subscribers",
  measure: async ({ folder, isQuick }) => {
    const file = join(mkdtempSync(join(folder, "subscribers-")), "shop.db")
    await using petstore = await createPetstore({ storage: storage === "memory" ? memory() : sqlite(file) })
    const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
    const { id: petId } = await petstore.pets.create({ name: "Guppy", categoryId })
    await petstore.inventory.set(petId, 10_000_000)
    const orders = isQuick ? 640 : 1_920
    const [none, ...others] = listeners(petstore, petId, orders)
    const hundred = others.filter(({ name }) => /^100 subscribers to (every event|another type)$/.test(name))
    if (none === undefined || hundred.length !== 2) throw new Error("Subscribers to compare are missing")
    const samples = await measureVariants([none, ...hundred], {
      rounds: isQuick ? 3 : 15,
      units: orders,
      work: async () => {
        for (let placed = 0; placed < orders; placed += atOnce) {
          await Promise.all(Array.from({ length: atOnce }, () => petstore.orders.place({ petId })))
        }
      }
    })
    const cpuOf = (name: string): ReadonlyArray<number> => (samples.get(name) ?? []).map(({ cpu }) => cpu)
    return hundred.map(({ name }) =>
      rowOf({
        row: `an order with ${name}, ${storage}`,
        unit: "µs of CPU",
        peerName: none.name,
        ours: cpuOf(name),
        peer: cpuOf(none.name),
        target: { atMost: 1.1 }
      })
    )
  }
})

export const subscriberRows: ReadonlyArray<RowGroup> = storages.map(subscribers)
