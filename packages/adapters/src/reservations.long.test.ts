import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore, type StorageAdapter } from "@petstore/core"
import { PetstoreError } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { testDatabase } from "../test/support/postgres.ts"
import { type Program, startProgram } from "../test/support/program.ts"
import { temporaryFile } from "../test/support/temporary.ts"
import { postgres } from "./postgres/postgres.ts"
import { sqlite } from "./sqlite/sqlite.ts"

interface Database {
  readonly adapter: StorageAdapter
  /** Names it for the programs. */
  readonly storage: string
}

const databases: Readonly<Record<string, Effect.Effect<Database, never, Scope.Scope>>> = {
  "a SQLite file": Effect.map(temporaryFile, (file) => ({ adapter: sqlite(file), storage: `sqlite:${file}` })),
  PostgreSQL: Effect.map(testDatabase, (url) => ({ adapter: postgres(url), storage: `postgres:${url}` }))
}

/** How many orders are due at once. */
const count = Number(process.env.PETSTORE_TEST_RESERVATIONS ?? 100_000)
const petCount = 50
/** Milliseconds in which the orders are placed, so that none is due before. */
const head = 30_000 + 2.5 * count

/** Each fourth order is completed when it is due, and each fourth extended; the others expire. */
const wanted = (id: number): "complete" | "extend" | undefined => (["complete", "extend"] as const)[id % 4]

const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

const opened = (adapter: StorageAdapter): Effect.Effect<Petstore, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: adapter })),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** Milliseconds before the orders are due, when the first of them are changed. */
const early = 200

/** Places the orders, all of which expire at about the same time; returns their ids shortly before. */
const placeAll = async (petstore: Petstore): Promise<ReadonlyArray<number>> => {
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  const petIds: Array<number> = []
  for (let n = 0; n < petCount; n++) {
    const { id } = await petstore.pets.create({ name: "Rex", categoryId })
    await petstore.inventory.set(id, count)
    petIds.push(id)
  }
  const due = Date.now() + head
  const ids: Array<number> = []
  const basket = [...petIds, ...petIds].map((petId) => ({ petId }))
  while (ids.length < count) {
    const some = basket.slice(0, count - ids.length)
    for (const { id } of await petstore.orders.placeAll(some, { reserveFor: due - Date.now() })) ids.push(id)
  }
  await sleep(Math.max(0, due - early - Date.now()))
  return ids
}

/** Changes the orders that are to be changed, while others expire. Returns which were. */
const race = async (petstore: Petstore, ids: ReadonlyArray<number>) => {
  const changed = new Map<number, "complete" | "extend">()
  const change = async (id: number) => {
    const what = wanted(id)
    if (what === undefined) return
    const call =
      what === "complete" ? petstore.orders.complete(id) : petstore.orders.setReservation(id, { reserveFor: "1 day" })
    await call.then(
      () => changed.set(id, what),
      (error: unknown) => {
        if (!(error instanceof PetstoreError) || error.code !== "not_found") throw error
      }
    )
  }
  for (let from = 0; from < ids.length; from += 50) await Promise.all(ids.slice(from, from + 50).map(change))
  return changed
}

for (const [name, database] of Object.entries(databases)) {
  describe(`given ${count} orders of ${name} that are due at once`, () => {
    it.live(
      "when three processes expire them and are killed, and others are completed and extended, then each order ends once",
      () =>
        Effect.gen(function* () {
          const { adapter, storage } = yield* database
          const petstore = yield* opened(adapter)
          const programs: Array<Program> = []
          const start = Effect.map(startProgram("expire-orders", storage), (program) => programs.push(program))
          for (let n = 0; n < 3; n++) yield* start
          const ids = yield* Effect.promise(() => placeAll(petstore))
          const racing = yield* Effect.forkChild(Effect.promise(() => race(petstore, ids)))
          yield* Effect.promise(() => sleep(2 * early))
          let kills = 0
          while ((yield* Effect.promise(() => petstore.stats())).reservations.overdue > 0) {
            yield* Effect.promise(() => sleep(Math.random() * 2_000))
            const [victim] = programs.splice(Math.floor(Math.random() * programs.length), 1)
            victim?.process.kill("SIGKILL")
            kills++
            yield* start
          }
          const changed = yield* Fiber.join(racing)
          assert.isAtLeast(kills, 1)
          yield* Effect.promise(async () => {
            const ends = new Map<string, Array<string>>()
            for await (const { subject, type } of petstore.events.all({ types: ["order.completed", "order.expired"] }))
              ends.set(subject, [...(ends.get(subject) ?? []), type])
            const expected = { complete: ["order.completed"], extend: undefined }
            for (const id of ids) {
              const what = changed.get(id)
              assert.deepStrictEqual(ends.get(`orders/${id}`), what === undefined ? ["order.expired"] : expected[what])
            }
            assert.isAbove(changed.size, 0)
            const { checks, ok } = await petstore.verify()
            assert.isTrue(ok, JSON.stringify(checks.filter(({ violations }) => violations > 0)))
          })
        }),
      300_000 + 20 * count
    )
  })
}
