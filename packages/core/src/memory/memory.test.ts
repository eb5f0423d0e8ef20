import { assert, describe, it } from "@effect/vitest"
import { aCategoryRecord, aMovement, anEvent, anOrderRecord, aPetRecord } from "@petstore/testing"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { AnyTable } from "../adapter-toolkit/SynchronousRows.ts"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { Write } from "../engine/Transaction.ts"
import type { Movement } from "../inventory/Movement.ts"
import { Storage } from "../ports/Storage.ts"
import { type CategoryRecord, categories, ledger, orders, pets } from "../tables/index.ts"
import { memory } from "./index.ts"
import { MemoryTable } from "./MemoryTable.ts"

const dogs = aCategoryRecord()

const pet = aPetRecord()

const movement = aMovement()

const addDogs = (store: Storage["Service"]) =>
  Effect.map(
    store.transact(store.insert(categories, [(id) => ({ ...dogs, category: { id, name: "Dogs" } })])),
    ([row]) => row?.category.id ?? 0
  )

const addPet = (store: Storage["Service"]) => store.transact(store.insert(pets, [(id) => ({ ...pet, id })]))

/** The write of a row that is said to exist. */
const save = (table: string, row: { readonly id: number } | CategoryRecord): Write => ({
  table,
  key: "id" in row ? row.id : row.category.id,
  row,
  before: row
})

const append = (row: Movement): Write => ({ log: "movements", rows: [row] })

/** The cause of a rejected write. */
const refusal = (exit: Exit.Exit<unknown, unknown>): string => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof InternalError && error.cause instanceof Error ? error.cause.message : `${error}`
}

describe("memory", () => {
  it.effect("given an adapter that is opened again after it was closed, the data is still there", () =>
    Effect.gen(function* () {
      const { layer } = memory()
      const open = <A, E>(use: (store: Storage["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(Storage, use), Layer.fresh(layer))
      const id = yield* open((store) => addDogs(store))
      const found = yield* open((store) => store.find(categories, id))
      assert.strictEqual(found?.nameKey, "dogs")
    })
  )

  it.effect("given an adapter that is opened twice at once, both stores are of one database", () =>
    Effect.gen(function* () {
      const { layer } = memory()
      const open = Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, Storage))
      const [one, two] = [yield* open, yield* open]
      assert.notStrictEqual(one, two)
      const id = yield* addDogs(one)
      assert.strictEqual((yield* two.find(categories, id))?.nameKey, "dogs")
    })
  )

  it.effect("given two adapters, they are two databases", () =>
    Effect.gen(function* () {
      const [one, two] = [memory(), memory()]
      const id = yield* Effect.provide(
        Effect.flatMap(Storage, (store) => addDogs(store)),
        one.layer
      )
      const found = yield* Effect.provide(
        Effect.flatMap(Storage, (store) => store.find(categories, id)),
        two.layer
      )
      assert.isUndefined(found)
    })
  )

  it.effect("given a row to save that does not exist, it fails and names the row", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      yield* addDogs(store)
      const rows = {
        pets: { ...pet, id: 7 },
        categories: { ...dogs, category: { id: 7, name: "Cats" }, nameKey: "cats" },
        orders: { id: 7, order: { state: "draft" }, version: 2 }
      }
      for (const [table, row] of Object.entries(rows)) {
        const exit = yield* Effect.exit(store.transact(store.write([save(table, row)])))
        assert.strictEqual(refusal(exit), `There is no row 7 of ${table} to save`)
      }
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given a movement that leaves a gap in a ledger, it fails with the reason", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      yield* addDogs(store)
      yield* addPet(store)
      yield* store.transact(store.write([append(movement)]))
      const gap = yield* Effect.exit(store.transact(store.write([append({ ...movement, seq: 3 })])))
      assert.strictEqual(refusal(gap), "The row 3 of 1 in movements does not follow row 1")
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given a draft with a pet, it rejects", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      yield* addDogs(store)
      yield* addPet(store)
      const draft = store.insert(orders, [(id) => anOrderRecord({ id, order: { state: "draft", petId: 1 } })])
      assert.strictEqual(
        refusal(yield* Effect.exit(store.transact(draft))),
        "In state draft, an order cannot have a pet"
      )
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given a part that is rolled back, those who watch find the events of the others", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      let calls = 0
      yield* store.watch(() => calls++)
      const append = (id: number) =>
        store.write([{ log: "events", rows: [anEvent({ type: "pet.deleted", subject: `pets/${id}`, data: { id } })] }])
      const part = Effect.exit(store.transact(Effect.andThen(append(2), Effect.fail("no"))))
      yield* store.transact(Effect.all([append(1), part]))
      yield* store.transact(append(3))
      const found = yield* store.events.scan(0, 10)
      assert.deepStrictEqual(
        found.map(({ seq, subject }) => [seq, subject]),
        [
          [1, "pets/1"],
          [2, "pets/3"]
        ]
      )
      assert.strictEqual(calls, 2)
    }).pipe(Effect.scoped, Effect.provide(memory().layer))
  )

  it.effect("given a command whose last write is refused, nothing of it is stored, and the store goes on", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      const { activity, run } = store
      const id = yield* addDogs(store)
      const renamed = run?.(function* (tx) {
        const row = yield* tx.lock(categories, id)
        if (row !== undefined) tx.save(categories, { ...row, nameKey: "hounds" })
        tx.append(ledger, [movement])
      })
      if (renamed === undefined) return assert.fail("The store has no run")
      assert.strictEqual(refusal(yield* Effect.exit(renamed)), "There is no row 1 of pets")
      assert.strictEqual((yield* store.find(categories, id))?.nameKey, "dogs")
      assert.deepStrictEqual([activity.committed, activity.failed], [1, 1])
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given a command that dies, it counts as failed, and the store goes on", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      const { activity, run } = store
      const broken = run?.(function* (tx) {
        yield* tx.find(categories, 1)
        throw new Error("A mistake")
      })
      if (broken === undefined) return assert.fail("The store has no run")
      assert.isTrue(Exit.hasDies(yield* Effect.exit(broken)))
      assert.strictEqual(activity.failed, 1)
      yield* addDogs(store)
    }).pipe(Effect.provide(memory().layer))
  )

  it("given an index that disagrees with its rows, the inspection names the table", () => {
    const table = new MemoryTable([], pets as unknown as AnyTable)
    const rex = { ...pet, id: 1, name: "Rex" }
    table.put(rex)
    table.put({ ...pet, id: 2, name: "Max" })
    assert.deepStrictEqual(table.problems(), [])
    // A row that is not copied changes behind the back of the indexes.
    Object.assign(table.get(1) ?? {}, { name: "Ace" })
    assert.deepStrictEqual(table.problems(), ["An index of pets does not agree with its rows"])
  })
})
