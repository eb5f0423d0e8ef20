import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import { ShuttingDown } from "@petstore/core/domain"
import { OnTransactionStart, Storage } from "@petstore/core/ports"
import * as tables from "@petstore/core/tables"
import { assertInvariants } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { session } from "../../../../test/support/postgres/sessions.ts"
import { query, testDatabase } from "../../../../test/support/postgres.ts"
import { postgres } from "../../postgres.ts"

const open = (url: string, groups = 1) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: postgres({ url, groups }) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** Creates pets with so many units each, and returns their ids. */
const givenPets = (petstore: Petstore, count: number, quantity: number) =>
  Effect.promise(async () => {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const pets = await Promise.all(
      Array.from({ length: count }, (_, index) => petstore.pets.create({ name: `Rex ${index}`, categoryId }))
    )
    await Promise.all(pets.map(({ id }) => petstore.inventory.set(id, quantity)))
    return pets.map(({ id }) => id)
  })

const commits = (url: string) =>
  Effect.promise(async () => {
    const [row] = await query(
      url,
      "SELECT count(DISTINCT xmin::text) AS orders FROM petstore.petstore_orders WHERE pg_stat_clear_snapshot() IS NOT NULL"
    )
    return Number(row?.orders)
  })

/** How many deadlocks the server has found in a database. */
const deadlocksOf = (url: string) =>
  Effect.promise(async () => {
    const [row] = await query(url, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    return Number(row?.deadlocks)
  })

const outcomes = async (calls: ReadonlyArray<Promise<unknown>>): Promise<ReadonlyArray<string>> =>
  (await Promise.allSettled(calls)).map((outcome) => (outcome.status === "fulfilled" ? "ok" : outcome.reason.code))

const counts = (all: ReadonlyArray<string>) => {
  const found: Record<string, number> = {}
  for (const one of all) found[one] = (found[one] ?? 0) + 1
  return found
}

describe("groups of transactions on PostgreSQL", () => {
  it.live("when many order one pet at once, they share few commits, and no unit is sold twice", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* open(url)
      const [petId = 0] = yield* givenPets(petstore, 1, 40)
      const ends = yield* Effect.promise(() =>
        outcomes(Array.from({ length: 60 }, () => petstore.orders.place({ petId, quantity: 1 })))
      )
      assert.deepStrictEqual(counts(ends), { ok: 40, insufficient_stock: 20 })
      assert.isAtMost(yield* commits(url), 3)
      yield* Effect.promise(() => assertInvariants(petstore))
    })
  )

  it.live("of a group that the server rejects, only the culprit fails", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* open(url)
      const [petId = 0] = yield* givenPets(petstore, 1, 1000)
      yield* Effect.promise(() =>
        query(url, "ALTER TABLE petstore.petstore_orders ADD CONSTRAINT unlucky CHECK (quantity <> 13)")
      )
      const ends = yield* Effect.promise(() =>
        outcomes([12, 13, 14, 15].map((quantity) => petstore.orders.place({ petId, quantity })))
      )
      assert.deepStrictEqual(ends, ["ok", "internal_error", "ok", "ok"])
      const stock = yield* Effect.promise(() => petstore.inventory.get(petId))
      assert.strictEqual(stock.reserved, 41)
    })
  )

  it.live("when another transaction has a pet locked, only orders for that pet wait", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* open(url)
      const [held = 0, free = 0] = yield* givenPets(petstore, 2, 1000)
      const host = yield* session(url)
      yield* Effect.promise(() => host.query("BEGIN"))
      yield* Effect.promise(() => host.query(`SELECT 1 FROM petstore.petstore_pets WHERE id = ${held} FOR UPDATE`))
      const waiting = petstore.orders.place({ petId: held, quantity: 1 })
      yield* Effect.promise(() => petstore.orders.place({ petId: free, quantity: 1 }))
      const early = yield* Effect.promise(() => Promise.race([waiting.then(() => "done"), Promise.resolve("waits")]))
      assert.strictEqual(early, "waits")
      yield* Effect.promise(() => host.query("COMMIT"))
      yield* Effect.promise(() => waiting)
    })
  )

  it.live("two servers that change the same pets and orders never deadlock, and the log has no gap", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const stores = [yield* open(url), yield* open(url, 2)] as const
      const pets = yield* givenPets(stores[0], 6, 100_000)
      const pick = (index: number) => pets[index % pets.length] ?? 0
      const shop = async (petstore: Petstore, seed: number): Promise<void> => {
        for (let step = seed; step < seed + 25; step++) {
          const { id } = await petstore.orders.place(
            { petId: pick(step), quantity: 1 },
            { idempotencyKey: `${seed}-${step}` }
          )
          if (step % 3 === 0) await petstore.orders.update(id, { petId: pick(step * 7 + 3), quantity: 2 })
          if (step % 3 === 1) await petstore.orders.cancel(id)
          if (step % 5 === 0) await petstore.inventory.set(pick(step * 5), 100_000 + step)
        }
      }
      yield* Effect.promise(() =>
        Promise.all(
          stores.flatMap((petstore, server) =>
            Array.from({ length: 8 }, (_, n) => shop(petstore, server * 1000 + n * 100))
          )
        )
      )
      yield* Effect.promise(() => assertInvariants(stores[0]))
      const [log] = yield* Effect.promise(() =>
        query(
          url,
          "SELECT count(*) AS count, max(seq) AS last, (SELECT count(*) FROM petstore.petstore_pending) AS pending FROM petstore.petstore_events"
        )
      )
      assert.strictEqual(Number(log?.count), Number(log?.last))
      assert.strictEqual(yield* deadlocksOf(url), 0)
    })
  )

  it.live("a connection that the server ends is replaced, and nothing is lost or done twice", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* open(url)
      const [petId = 0] = yield* givenPets(petstore, 1, 100_000)
      const admin = yield* session(url)
      const killing = (async () => {
        for (let round = 0; round < 20; round++) {
          await admin.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore' AND datname = current_database()"
          )
          await new Promise((resolve) => setTimeout(resolve, 30))
        }
      })()
      const settled = async (idempotencyKey: string): Promise<void> => {
        for (;;) {
          try {
            await petstore.orders.place({ petId, quantity: 1 }, { idempotencyKey })
            return
          } catch (cause) {
            const { code } = cause as { readonly code: string }
            assert.include(["storage_busy", "commit_unknown", "storage_unavailable"], code)
          }
        }
      }
      yield* Effect.promise(() =>
        Promise.all([killing, ...Array.from({ length: 200 }, (_, index) => settled(`key-${index}`))])
      )
      const stock = yield* Effect.promise(() => petstore.inventory.get(petId))
      assert.strictEqual(stock.reserved, 200)
      yield* Effect.promise(() => assertInvariants(petstore))
    })
  )

  it.live("a store that closes runs the command that it has begun, and refuses bodies", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* open(url)
      const [petId = 0] = yield* givenPets(petstore, 1, 1)
      const host = yield* session(url)
      yield* Effect.promise(() => host.query("BEGIN"))
      yield* Effect.promise(() => host.query(`SELECT 1 FROM petstore.petstore_pets WHERE id = ${petId} FOR UPDATE`))
      const scope = yield* Scope.make()
      const store = Context.get(yield* Layer.buildWithScope(postgres(url).layer, scope), Storage)
      const started = yield* Deferred.make<void>()
      const lock = store.run?.(function* (tx) {
        return (yield* tx.lock(tables.pets, petId))?.id
      })
      const running = yield* Effect.forkChild(
        Effect.provideService(lock ?? Effect.die("no run"), OnTransactionStart, () => {
          Deferred.doneUnsafe(started, Effect.void)
        })
      )
      yield* Deferred.await(started)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.instanceOf(yield* Effect.flip(store.run(function* () {})), ShuttingDown)
      yield* Effect.promise(() => host.query("COMMIT"))
      assert.strictEqual(yield* Fiber.join(running), petId)
      yield* Fiber.join(closing)
    })
  )

  it.live("a petstore that closes returns the results of the transactions that have begun", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* Effect.promise(() => createPetstore({ storage: postgres(url) }))
      const [petId = 0] = yield* givenPets(petstore, 1, 1000)
      const calls = Array.from({ length: 100 }, () => petstore.orders.place({ petId, quantity: 1 }))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const ends = outcomes(calls)
      yield* Effect.promise(() => petstore.close())
      const { ok = 0, shutting_down: refused = 0 } = counts(yield* Effect.promise(() => ends))
      assert.strictEqual(ok + refused, 100)
      const [row] = yield* Effect.promise(() => query(url, "SELECT count(*) AS count FROM petstore.petstore_orders"))
      assert.strictEqual(Number(row?.count), ok)
    })
  )
})
