// Opens one petstore per schema on one pool, and reports how long that takes and what it costs.
// node --conditions=@petstore/source benchmarks/shops.ts URL [COUNT]

import { createPetstore, type Petstore } from "@petstore/core"
import pg from "pg"
import { postgres } from "../packages/adapters/src/postgres/index.ts"

const [url = "", count = "100"] = process.argv.slice(2)
const schemas = Array.from({ length: Number(count) }, (_, shop) => `shop_${shop}`)
const pool = new pg.Pool({ connectionString: url, max: 10 })

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const memory = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** Opens every schema, so many at a time. */
const openAll = async (label: string, parallel: number) => {
  const times: Array<number> = []
  const before = memory()
  const shops: Array<Petstore> = []
  const waiting = schemas.values()
  const begin = performance.now()
  const open = async () => {
    for (const schema of waiting) {
      const start = performance.now()
      shops.push(await createPetstore({ storage: postgres({ pool, schema }) }))
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: parallel }, open))
  const each = (performance.now() - begin) / schemas.length
  const heap = (memory() - before) / schemas.length / 1024
  console.log(
    `${label}, ${parallel} at a time: ${each.toFixed(1)} ms for each; a shop waits ${median(times).toFixed(1)} ms (median), at most ${Math.max(...times).toFixed(1)} ms; ${heap.toFixed(0)} KiB of memory each; ${pool.totalCount} connections`
  )
  return shops
}

const close = (shops: ReadonlyArray<Petstore>) => Promise.all(shops.map((shop) => shop.close()))

await close(await openAll("create", 1))
for (const parallel of [1, 4, 10]) await close(await openAll("open", parallel))
const atOnce = await openAll("open", schemas.length)
const use = performance.now()
await Promise.all(
  atOnce.map(async (shop) => {
    const { id: categoryId } = await shop.categories.create({ name: `Dogs ${Math.random()}` })
    const { id: petId } = await shop.pets.create({ name: "Rex", categoryId })
    await shop.orders.place({ petId })
  })
)
console.log(
  `category, pet and order in each: ${(performance.now() - use).toFixed(0)} ms; ${pool.totalCount} connections`
)
const subscriptions = await Promise.all(atOnce.map((shop) => shop.events.subscribe(() => {})))
await new Promise((resolve) => setTimeout(resolve, 2_000))
const cpu = process.cpuUsage()
await new Promise((resolve) => setTimeout(resolve, 5_000))
const { system, user } = process.cpuUsage(cpu)
console.log(`a subscriber in each, idle: ${((system + user) / 50_000).toFixed(1)} % of a core in this process`)
for (const subscription of subscriptions) subscription.close()
await close(atOnce)
await pool.end()
