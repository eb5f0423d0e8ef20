import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, PetstoreError } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import { categories, pets } from "@petstore/core/tables"
import { aCategoryRecord, aPetRecord } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { commitModes } from "../../../test/support/postgres/commitModes.ts"
import { session } from "../../../test/support/postgres/sessions.ts"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { addRow } from "../../../test/support/rows.ts"
import { postgres } from "../postgres.ts"

const isWaiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

/** The server looks for a deadlock once, when a transaction has waited for three seconds: the other one waits by then. */
const lateDeadlocks = `DO $$ BEGIN
  EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 3000', current_database());
END $$`

/** A trigger that ends so many transactions with this error: when they insert an order, or when they commit. */
const failing = (state: string, times: number, when: "insert" | "commit") => `
  CREATE SEQUENCE attempts;
  CREATE FUNCTION fail_at_first() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('public.attempts') <= ${times} THEN RAISE EXCEPTION 'a conflict' USING ERRCODE = '${state}'; END IF;
      RETURN NEW;
    END $$;
  CREATE ${when === "commit" ? "CONSTRAINT TRIGGER conflict AFTER" : "TRIGGER conflict BEFORE"} INSERT ON petstore.petstore_orders
    ${when === "commit" ? "DEFERRABLE INITIALLY DEFERRED" : ""} FOR EACH ROW EXECUTE FUNCTION fail_at_first()`

describe("given two transactions on PostgreSQL that wait for each other", () => {
  it.live("when one is the victim of the deadlock, then it runs again and has one effect", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      yield* Effect.promise(() => query(url, lateDeadlocks))
      const patient = { url, lockTimeout: 20_000 }
      const store = Context.get(yield* Layer.build(postgres(patient).layer), Storage)
      const [first = 0, second = 0] = yield* store.run(function* (tx) {
        const categoryId = yield* addRow(tx, categories, aCategoryRecord())
        return [
          yield* addRow(tx, pets, aPetRecord({ name: "First", categoryId })),
          yield* addRow(tx, pets, aPetRecord({ name: "Second", categoryId }))
        ]
      })
      const other = yield* session(url)
      const lock = (id: number) =>
        Effect.promise(() => other.query("SELECT 1 FROM petstore.petstore_pets WHERE id = $1 FOR UPDATE", [id]))
      // They wait for each other; the one that looks for deadlocks first is the victim.
      yield* Effect.promise(() => other.query("SET deadlock_timeout = '1min'; BEGIN"))
      yield* lock(second)
      let runs = 0
      const ours = store.run(function* (tx) {
        runs++
        yield* tx.lock(pets, first)
        const pet = yield* tx.lock(pets, second)
        if (pet === undefined) throw new Error("There is no pet")
        tx.save(pets, { ...pet, stockVersion: pet.stockVersion + 1 })
      })
      const theirs = Effect.gen(function* () {
        while ((yield* Effect.promise(() => query(url, isWaiting))).length === 0) yield* Effect.promise(() => sleep(5))
        yield* lock(first)
        yield* Effect.promise(() => other.query("COMMIT"))
      })
      yield* Effect.all([ours, theirs], { concurrency: "unbounded" })
      assert.isAbove(runs, 1)
      assert.strictEqual((yield* store.find(pets, second))?.stockVersion, 2)
    })
  )
})

for (const [name, options] of Object.entries(commitModes)) {
  const openPetstore = (url: string) =>
    Effect.acquireRelease(
      Effect.promise(() => createPetstore({ storage: postgres({ ...options, url }) })),
      (petstore) => Effect.promise(() => petstore.close())
    )

  const aShop = Effect.gen(function* () {
    const url = yield* testDatabase
    const petstore = yield* openPetstore(url)
    const { id: categoryId } = yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
    const { id: petId } = yield* Effect.promise(() => petstore.pets.create({ name: "Rex", categoryId }))
    yield* Effect.promise(() => petstore.inventory.set(petId, 100))
    return { url, petstore, petId }
  })

  describe(`given transactions of others on PostgreSQL, ${name}`, () => {
    for (const when of ["insert", "commit"] as const) {
      it.live(`when the server ends it with 40001 at its ${when}, then it runs again and has one effect`, () =>
        Effect.gen(function* () {
          const { petId, petstore, url } = yield* aShop
          yield* Effect.promise(() => query(url, failing("40001", 4, when)))
          const order = yield* Effect.promise(() => petstore.orders.place({ petId }))
          const { items } = yield* Effect.promise(() => petstore.orders.list())
          assert.deepStrictEqual(
            items.map(({ id }) => id),
            [order.id]
          )
          const [attempts] = yield* Effect.promise(() => query(url, "SELECT last_value FROM attempts"))
          assert.isAtLeast(Number(attempts?.last_value), 5)
          assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
        })
      )
    }

    it.live("when the server always ends it, then the caller gets storage_busy and nothing is stored", () =>
      Effect.gen(function* () {
        const { petId, petstore, url } = yield* aShop
        yield* Effect.promise(() => query(url, failing("40001", 1_000_000, "commit")))
        const failure = yield* Effect.promise(() =>
          petstore.orders.place({ petId }).then(
            () => undefined,
            (error: unknown) => error
          )
        )
        assert.isTrue(failure instanceof PetstoreError && failure.code === "storage_busy", String(failure))
        assert.deepStrictEqual((yield* Effect.promise(() => petstore.orders.list())).items, [])
        assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
      })
    )

    it.live("when serializable is the default of the database, then servers sell every unit once", () =>
      Effect.gen(function* () {
        const url = yield* testDatabase
        const database = new URL(url).pathname.slice(1)
        yield* Effect.promise(() =>
          query(url, `ALTER DATABASE ${database} SET default_transaction_isolation = serializable`)
        )
        const servers = yield* Effect.all(
          Array.from({ length: 3 }, () => openPetstore(url)),
          { concurrency: "unbounded" }
        )
        const [first] = servers
        if (first === undefined) return
        const { id: categoryId } = yield* Effect.promise(() => first.categories.create({ name: "Dogs" }))
        const { id: petId } = yield* Effect.promise(() => first.pets.create({ name: "Rex", categoryId }))
        yield* Effect.promise(() => first.inventory.set(petId, 20))
        const outcomes = yield* Effect.promise(() =>
          Promise.all(
            Array.from({ length: 30 }, (_, n) =>
              servers[n % 3]?.orders.place({ petId }, { idempotencyKey: `order-${n % 27}` }).then(
                ({ id }) => id,
                (error: unknown) => (error instanceof PetstoreError ? error.code : error)
              )
            )
          )
        )
        assert.strictEqual(new Set(outcomes.filter((outcome) => typeof outcome === "number")).size, 20)
        const refused = outcomes.filter((outcome) => typeof outcome !== "number")
        assert.deepStrictEqual([...new Set(refused)], ["insufficient_stock"])
        assert.isTrue((yield* Effect.promise(() => first.verify())).ok)
      })
    )
  })
}
