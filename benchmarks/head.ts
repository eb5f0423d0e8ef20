// What the head of the event log costs an order on SQLite: rounds with it and without it take turns in one process, on one store.
// npm run bench:head -- [folder of the database]

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createPetstore } from "@petstore/core"
import { EventLogHead } from "../packages/adapters/src/sqlite/events/EventLogHead.ts"
import { sqlite } from "../packages/adapters/src/sqlite/index.ts"

/** Milliseconds of a round. */
const roundTime = 200
const rounds = 60

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), "petstore-"))
const petstore = await createPetstore({ storage: sqlite(join(folder, "petstore.db")) })
const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
const pets = await Promise.all(
  Array.from({ length: 64 }, async (_, n) => {
    const { id } = await petstore.pets.create({ name: `Rex ${n}`, categoryId })
    await petstore.inventory.set(id, 1_000_000)
    return id
  })
)

const { record } = EventLogHead.prototype
const setHead = (isRecorded: boolean): void => {
  EventLogHead.prototype.record = isRecorded ? record : () => {}
}

/** Microseconds of processor time that an order takes: on a busy machine, the time by the clock shows the others. */
const measure = async (callers: number): Promise<number> => {
  const start = performance.now()
  const before = process.cpuUsage()
  let orders = 0
  const call = async (petId: number) => {
    while (performance.now() - start < roundTime) {
      await petstore.orders.place({ petId })
      orders++
    }
  }
  await Promise.all(pets.slice(0, callers).map(call))
  const { system, user } = process.cpuUsage(before)
  return (system + user) / orders
}

const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

for (const callers of [1, 64]) {
  for (let n = 0; n < 5; n++) await measure(callers)
  const ratios: Array<number> = []
  const times: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const time = new Map<boolean, number>()
    for (const isRecorded of round % 2 === 0 ? [true, false] : [false, true]) {
      setHead(isRecorded)
      time.set(isRecorded, await measure(callers))
    }
    times.push(time.get(true) ?? Number.NaN)
    ratios.push((time.get(true) ?? Number.NaN) / (time.get(false) ?? Number.NaN))
  }
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(3))
  console.log(
    `${callers} callers: ${quantile(times, 0.5).toFixed(1)} µs an order, with the head ${middle} [${low} to ${high}] of that without`
  )
}
await petstore.close()
rmSync(folder, { recursive: true })
