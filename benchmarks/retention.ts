/**
 * What the removal of old events costs beside orders, on a SQLite file:
 * npm run bench:retention -- --events 1000000 --orders 20000
 */

import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"

const { values } = parseArgs({
  options: { events: { type: "string", default: "1000000" }, orders: { type: "string", default: "20000" } }
})
const [events, orders] = [Number(values.events), Number(values.orders)]

/** Orders that are under way at the same time. */
const concurrency = 32
const folder = mkdtempSync(join(tmpdir(), "petstore-retention-"))
const file = join(folder, "petstore.db")
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
const sizes = (): string => megabytes(statSync(file).size)

const open = (count?: number) =>
  createPetstore({ storage: sqlite(file), ...(count === undefined ? {} : { retention: { events: { count } } }) })

interface Load {
  readonly placed: number
  /** Milliseconds of each order. */
  readonly latencies: ReadonlyArray<number>
  /** Microseconds of processor time for each order. */
  readonly cpu: number
  readonly perSecond: number
  readonly memory: number
}

/** Places complete orders until `isDone`. */
const place = async (
  petstore: Petstore,
  petIds: ReadonlyArray<number>,
  isDone: (placed: number) => boolean
): Promise<Load> => {
  const latencies: Array<number> = []
  let placed = 0
  let memory = 0
  const started = performance.now()
  const begun = process.cpuUsage()
  const seller = async () => {
    while (!isDone(placed)) {
      placed++
      const before = performance.now()
      await petstore.orders.place({ petId: petIds[placed % petIds.length] ?? 1, complete: true })
      latencies.push(performance.now() - before)
      if (placed % 1_000 === 0) memory = Math.max(memory, process.memoryUsage().rss)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, seller))
  const { system, user } = process.cpuUsage(begun)
  const seconds = (performance.now() - started) / 1_000
  return { placed, latencies, cpu: (system + user) / placed, perSecond: placed / seconds, memory }
}

const print = (what: string, { cpu, latencies, memory, perSecond, placed }: Load): void => {
  const sorted = [...latencies].sort((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)
  console.log(
    `${what}: ${placed} orders, ${perSecond.toFixed(0)}/s, ${cpu.toFixed(0)} us CPU each, median ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms, ${megabytes(memory)} RSS, file ${sizes()}`
  )
}

try {
  let petstore = await open()
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  const petIds: Array<number> = []
  for (let n = 0; n < 500; n++) {
    const { id } = await petstore.pets.create({ name: `Rex ${n}`, categoryId })
    await petstore.inventory.set(id, 1_000_000)
    petIds.push(id)
  }
  const full = await place(petstore, petIds, (placed) => placed * 3 >= events)
  print("filled without retention", { ...full, latencies: full.latencies.slice(-orders) })
  print("without retention", await place(petstore, petIds, (placed) => placed >= orders))
  await petstore.close()

  petstore = await open(1_000)
  const latest = await petstore.events.latest()
  const started = performance.now()
  let trimmed = 0
  const look = setInterval(async () => {
    trimmed = (await petstore.retention()).trimmed?.seq ?? 0
  }, 250)
  const beside = await place(petstore, petIds, () => trimmed >= latest - 1_000)
  clearInterval(look)
  const seconds = (performance.now() - started) / 1_000
  print(`while ${latest} events are removed in ${seconds.toFixed(0)} s`, beside)
  print("with retention, and nothing left", await place(petstore, petIds, (placed) => placed >= orders))
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  const { earliest, latest: last } = await petstore.retention()
  console.log(`events kept: ${last - earliest + 1}; file ${sizes()}`)
  const { ok } = await petstore.verify()
  console.log(`verify: ${ok ? "every rule holds" : "violations"}`)
  await petstore.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
