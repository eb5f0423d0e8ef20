// Uses a database in every way that there is until a line comes on standard input, whatever happens to its connections
// meanwhile. Then does everything once more, verifies, and writes what was done how often.

import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { createPetstore, PetstoreError } from "@petstore/core"
import { postgres } from "../../src/postgres/index.ts"
import type { HostLibrary } from "../support/HostLibrary.ts"
import { hostLibraries } from "../support/postgres/hostLibraries.ts"
import { hostPool } from "../support/postgres/hostPool.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , url = ""] = process.argv

const options = { url, lockTimeout: 300, timeout: 3_000, connectTimeout: 1_000, maxConnections: 4 }
const petstore = await createPetstore({ storage: postgres({ ...options, replica: url }) })
const pool = hostPool({ connectionString: url, max: 4 })
const pooled = await createPetstore({ storage: postgres({ pool, lockTimeout: 300, timeout: 3_000 }) })
const alone = await createPetstore({ storage: postgres({ ...options, groups: 0 }) })
const { id: categoryId } = await petstore.categories.create({ name: "Rabbits" })
const { id: petId } = await petstore.pets.create({ name: "Flopsy", categoryId })
await petstore.inventory.set(petId, 1_000_000)

let heard = 0
const subscription = await pooled.events.subscribe(() => {
  heard++
})
const consumer = await petstore.events.consume("invoices", async () => {
  await alone.pets.get(petId)
})

// Not postgres.js, which ends the process itself: it writes to the socket that it has lost. Drizzle does not give a client back
// whose BEGIN fails, so there are more than can be lost.
const libraries = (["pg", "Kysely", "Drizzle"] as const).map((name) => [name, hostLibraries[name](url, 1_000)] as const)

const inTransaction = async (library: HostLibrary): Promise<void> => {
  const host = await library.begin()
  try {
    await petstore.orders.place({ petId }, { transaction: host.transaction })
    await host.run("SELECT 'an invoice'")
    await host.commit()
  } catch (error) {
    await host.rollback().catch(() => {})
    throw error
  }
}

const openAndClose = async (): Promise<void> => {
  await using opened = await createPetstore({ storage: postgres(options) })
  await opened.pets.get(petId)
}

const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  order: () => petstore.orders.place({ petId }),
  "order on a pool": () => pooled.orders.place({ petId }),
  "order in a commit of its own": () => alone.orders.place({ petId }),
  list: () => petstore.pets.list(),
  "list on a pool": () => pooled.pets.list(),
  open: openAndClose,
  ...Object.fromEntries(libraries.map(([name, library]) => [name, () => inTransaction(library)]))
}

let isAttacked = true
const counts = Object.fromEntries(Object.keys(ways).map((name) => [name, { done: 0, failed: 0 }]))
const codes = new Set<string>()

const repeat = async (name: string, way: () => Promise<unknown>): Promise<void> => {
  const count = counts[name] ?? { done: 0, failed: 0 }
  for (let last = false; !last; ) {
    last = !isAttacked
    try {
      await way()
      count.done++
    } catch (error) {
      count.failed++
      if (error instanceof PetstoreError) codes.add(error.code)
      // The last one must succeed.
      last = false
    }
    await sleep(5)
  }
}

writeLine("started")
const running = Promise.all(Object.entries(ways).map(([name, way]) => repeat(name, way)))
await once(process.stdin, "data")
isAttacked = false
await running
const before = heard
await petstore.orders.place({ petId })
while (heard === before) await sleep(10)
subscription.close()
await consumer.close()
writeLine(JSON.stringify({ ok: (await petstore.verify()).ok, codes: [...codes].toSorted(), counts }))
await Promise.all([petstore.close(), pooled.close(), alone.close()])
// The pool of Drizzle would wait for the clients that were not given back.
process.exit(0)
