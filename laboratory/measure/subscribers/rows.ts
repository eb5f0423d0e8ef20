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
const names = ["no subscriber", "100 subscribers to every event", "100 subscribers to another type"]

/** A petstore whose subscribers, as those of an app, stay as long as it is open. */
const openShop = async (storage: (typeof storages)[number], folder: string, name: string, orders: number) => {
  const file = join(mkdtempSync(join(folder, "subscribers-")), "shop.db")
  const petstore = await createPetstore({ storage: storage === "memory" ? memory() : sqlite(file) })
  const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
  const { id: petId } = await petstore.pets.create({ name: "Guppy", categoryId })
  await petstore.inventory.set(petId, 10_000_000)
  const followed = await listeners(petstore, orders)
    .find((variant) => variant.name === name)
    ?.open()
  if (followed === undefined) throw new Error(`There are no ${name}`)
  const sell = async () => {
    for (let placed = 0; placed < orders; placed += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, () => petstore.orders.place({ petId })))
    }
  }
  const close = async () => {
    await followed.close()
    await petstore.close()
  }
  return { name, sell, settled: followed.settled, close }
}

/** The processor time of an order with a hundred subscribers, against one without any. */
const subscribers = (storage: (typeof storages)[number]): RowGroup => ({
  name: "subscribers",
  measure: async ({ folder, isQuick }) => {
    const orders = isQuick ? 640 : 9_600
    const shops = await Promise.all(names.map((name) => openShop(storage, folder, name, orders)))
    let sell = async () => {}
    const { disturbed, results } = await measureVariants(
      shops.map((shop) => ({
        name: shop.name,
        open: async () => {
          sell = shop.sell
          return { settled: shop.settled, close: async () => {} }
        }
      })),
      { rounds: isQuick ? 3 : 15, units: orders, work: () => sell() }
    )
    for (const { close } of shops) await close()
    const [none = [], ...hundred] = results.map((samples) => samples.map(({ cpu }) => cpu))
    const [peerName = "", ...subscribed] = names
    return hundred.map((ours, index) =>
      rowOf({
        row: `an order with ${subscribed[index]}, ${storage}`,
        unit: "µs of CPU",
        peerName,
        ours,
        peer: none,
        target: { atMost: 1.1 },
        disturbed
      })
    )
  }
})

export const subscriberRows: ReadonlyArray<RowGroup> = storages.map(subscribers)
