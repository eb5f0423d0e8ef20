import { assert, describe, it } from "@effect/vitest"
import { aMovement, aNewCategoryRecord, anEvent, aPetRecord } from "@petstore/testing"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { Movement } from "../domain/Movement.ts"
import type { Log, Table } from "../engine/Table.ts"
import { Storage } from "../ports/Storage.ts"
import type { CategoryRecord, PetRecord } from "../tables/catalogue.ts"
import { memory } from "./index.ts"
import { MemoryLog } from "./MemoryLog.ts"
import { MemoryTable } from "./MemoryTable.ts"

const dogs = aNewCategoryRecord()

const pet = aPetRecord()

const movement = aMovement()

const rows: Table<CategoryRecord> = { name: "categories", keyOf: ({ category }) => category.id, isLive: () => true }

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
      const id = yield* open((store) => store.transact(store.categories.insert(dogs)))
      const found = yield* open((store) => store.categories.find(id))
      assert.strictEqual(found?.nameKey, "dogs")
    })
  )

  it.effect("given an adapter that is opened twice at once, both stores are of one database", () =>
    Effect.gen(function* () {
      const { layer } = memory()
      const open = Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, Storage))
      const [one, two] = [yield* open, yield* open]
      assert.notStrictEqual(one, two)
      const id = yield* one.transact(one.categories.insert(dogs))
      assert.strictEqual((yield* two.categories.find(id))?.nameKey, "dogs")
    })
  )

  it.effect("given two adapters, they are two databases", () =>
    Effect.gen(function* () {
      const [one, two] = [memory(), memory()]
      const id = yield* Effect.provide(
        Effect.flatMap(Storage, (store) => store.transact(store.categories.insert(dogs))),
        one.layer
      )
      const found = yield* Effect.provide(
        Effect.flatMap(Storage, (store) => store.categories.find(id)),
        two.layer
      )
      assert.isUndefined(found)
    })
  )

  it.effect("given a row to save that does not exist, it fails and names the row", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      yield* store.transact(store.categories.insert(dogs))
      const save = {
        pet: store.pets.save({ ...pet, id: 7 }),
        category: store.categories.save({
          ...dogs,
          category: { id: 7, name: "Cats" },
          nameKey: "cats",
          deleted: false
        }),
        order: store.orders.save({ id: 7, order: { state: "draft" }, version: 2 })
      }
      for (const [what, body] of Object.entries(save)) {
        assert.strictEqual(refusal(yield* Effect.exit(store.transact(body))), `There is no ${what} 7 to save`)
      }
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given a movement that leaves a gap in a ledger, it fails with the reason", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      yield* store.transact(Effect.andThen(store.categories.insert(dogs), store.pets.insert(pet)))
      yield* store.transact(store.movements.append(movement))
      const gap = yield* Effect.exit(store.transact(store.movements.append({ ...movement, seq: 3 })))
      assert.strictEqual(refusal(gap), "The seq 3 does not follow the movements of pet 1")
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given a draft with a pet, it rejects", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      yield* store.transact(Effect.andThen(store.categories.insert(dogs), store.pets.insert(pet)))
      const draft = store.orders.insert({ order: { state: "draft", petId: 1 }, version: 1 })
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
        store.events.append(anEvent({ type: "pet.deleted", subject: `pets/${id}`, data: { id } }))
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
      const { activity, categories, run, transact } = yield* Storage
      const id = yield* transact(categories.insert(dogs))
      const movements: Log<Movement> = { name: "movements", rows: [] }
      const renamed = run?.(function* (tx) {
        const row = yield* tx.lock(rows, id)
        if (row !== undefined) tx.save(rows, { ...row, nameKey: "hounds" })
        tx.append(movements, [movement])
      })
      if (renamed === undefined) return assert.fail("The store has no run")
      assert.strictEqual(refusal(yield* Effect.exit(renamed)), "There is no pet 1")
      assert.strictEqual((yield* categories.find(id))?.nameKey, "dogs")
      assert.deepStrictEqual([activity.committed, activity.failed], [1, 1])
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given a command that dies, it counts as failed, and the store goes on", () =>
    Effect.gen(function* () {
      const { activity, categories, run, transact } = yield* Storage
      const broken = run?.(function* (tx) {
        yield* tx.find(rows, 1)
        throw new Error("A mistake")
      })
      if (broken === undefined) return assert.fail("The store has no run")
      assert.isTrue(Exit.hasDies(yield* Effect.exit(broken)))
      assert.strictEqual(activity.failed, 1)
      yield* transact(categories.insert(dogs))
    }).pipe(Effect.provide(memory().layer))
  )

  it("given an index that disagrees with its rows, the inspection names the table", () => {
    const shape = {
      name: "pet",
      keyOf: ({ id }: PetRecord) => id,
      copy: (row: PetRecord) => row,
      sortedBy: ({ name }: PetRecord) => name
    }
    const table = new MemoryTable<number, PetRecord>([], shape)
    const rex = { ...pet, id: 1, name: "Rex" }
    table.put(rex)
    table.put({ ...pet, id: 2, name: "Max" })
    assert.deepStrictEqual(table.problems(), [])
    // A row that is not copied changes behind the back of the indexes.
    rex.name = "Ace"
    assert.deepStrictEqual(table.problems(), ["An index of the pet rows does not agree with them"])
  })

  it("given a log, it rejects a row that leaves a gap", () => {
    const log = new MemoryLog<number, { readonly seq: number }, object>([], {
      store: (row) => row,
      load: (_, seq) => ({ seq })
    })
    log.append(1, { seq: 1 })
    assert.throws(() => log.append(1, { seq: 3 }), "The row 3 of 1 does not follow row 1")
  })
})
