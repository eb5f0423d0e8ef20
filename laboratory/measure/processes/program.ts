// One of several processes on one file: `node program.ts FILE ROOT`. Each message runs one round, with the packages of the
// checkout at ROOT.

import { packagesOf } from "../inProcess/packages.ts"
import type { Work, Worked } from "./Work.ts"

const [, , file = "", root = ""] = process.argv
const { core, sqlite } = await packagesOf(root)
const petstore = await core.createPetstore({ storage: sqlite.sqlite(file) })

/** Lets callers make one call after the other, each for so many seconds. */
const run = async ({ callers, kind, pets, seconds }: Work): Promise<Worked> => {
  const call = {
    order: (petId: number): Promise<unknown> => petstore.orders.place({ petId }),
    get: (petId: number): Promise<unknown> => petstore.pets.get(petId)
  }[kind]
  const latencies: Array<number> = []
  const before = process.cpuUsage()
  const start = performance.now()
  const end = start + seconds * 1_000
  const caller = async (): Promise<void> => {
    for (let called = start; called < end; ) {
      // Every fourth pet is sold.
      const petId = 1 + Math.floor(Math.random() * pets)
      await call(petId % 4 === 0 ? petId - 1 : petId)
      const after = performance.now()
      latencies.push(after - called)
      called = after
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const rate = (latencies.length * 1_000) / (performance.now() - start)
  const { system, user } = process.cpuUsage(before)
  return { rate, cpu: (system + user) / latencies.length, latencies: kind === "order" ? latencies : [] }
}

process.on("message", (work) => {
  run(work as Work).then((worked) => process.send?.(worked))
})
process.once("disconnect", () => process.exit())
process.send?.("ready")
