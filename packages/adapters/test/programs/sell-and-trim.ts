// Places orders on a store that keeps few events, and removes the others all the time. Writes how many were removed after each
// removal, until it is killed.
import { createPetstore, PetstoreError } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Trimming } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import { postgres } from "../../src/postgres/index.ts"
import { sqlite } from "../../src/sqlite/index.ts"

const [kind, place = ""] = process.argv.slice(2)
const storage = kind === "sqlite" ? sqlite(place) : postgres(place)
const petstore = await createPetstore({ storage, retention: { events: { count: 30 } } })

/** Refused where another process was first. */
const attempt = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: unknown) => {
    if (!(error instanceof PetstoreError) || error.status === 500) throw error
  })

const sell = async (seller: number) => {
  for (let n = 0; ; n++) {
    const { id: petId } = await petstore.pets.create({ name: `Rex ${n}`, categoryId: 1 })
    await attempt(petstore.inventory.set(petId, 5))
    const order = await petstore.orders.place({ petId }, { idempotencyKey: `${process.pid}-${seller}-${n}` })
    await attempt(petstore.orders.place({ petId, complete: true }))
    await attempt(n % 2 === 0 ? petstore.orders.complete(order.id) : petstore.orders.cancel(order.id))
    await attempt(petstore.inventory.set(petId, 0))
    await attempt(petstore.pets.update(petId, { name: "Max" }))
    await attempt(petstore.pets.delete(petId))
    // A client of PGlite or SQLite answers at once: timers get their turn.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const trim = async () => {
  for (;;) {
    const { removed } = await runtimeOf(petstore).runPromise(Effect.flatMap(Trimming, (service) => service.trim))
    if (removed > 0) process.stdout.write(`${removed}\n`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

await attempt(petstore.categories.create({ name: "Dogs" }))
process.stdout.write("started\n")
await Promise.all([sell(1), sell(2), trim()])
