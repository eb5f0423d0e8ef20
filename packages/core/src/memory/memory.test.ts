import { assert, describe, it } from "@effect/vitest"
import { aCategoryRecord, aMovement, anOrderRecord, aPetRecord } from "@petstore/testing"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { writtenTo } from "../../test/support/writes.ts"
import type { AnyTable } from "../adapter-toolkit/SynchronousRows.ts"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { Movement } from "../domain/inventory/Movement.ts"
import type { Write } from "../kernel/Transaction.ts"
import { Storage } from "../ports/Storage.ts"
import { categories, orders, pets } from "../tables/index.ts"
import { memory } from "./index.ts"
import { MemoryTable } from "./MemoryTable.ts"

const dogs = aCategoryRecord()

const pet = aPetRecord()

const movement = aMovement()

const addDogs = (store: Storage["Service"]) =>
  store.run(function* (tx) {
    const row = yield* tx.insert(categories, (id) => ({ ...dogs, category: { id, name: "Dogs" } }))
    return row.category.id
  })

const addPet = (store: Storage["Service"]) =>
  store.run(function* (tx) {
    return yield* tx.insert(pets, (id) => ({ ...pet, id }))
  })

const append = (row: Movement): Write => ({ log: "movements", rows: [row] })

/** The cause of a rejected write. */
const refusal = (exit: Exit.Exit<unknown, unknown>): string => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof InternalError && error.cause instanceof Error ? error.cause.message : `${error}`
}

describe("memory", () => {
  it("given options, which it does not take, then it says so; an index of a list is none", () => {
    assert.lengthOf([1, 2].map(memory), 2)
    const memoryWith: (options: unknown) => unknown = memory
    assert.throws(() => memoryWith({ file: "petstore.db" }), TypeError, "memory takes no options")
  })

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

  it.effect("given a movement that leaves a gap in a ledger, it fails with the reason", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      yield* addDogs(store)
      yield* addPet(store)
      yield* writtenTo(store, [append(movement)])
      const gap = yield* Effect.exit(writtenTo(store, [append({ ...movement, seq: 3 })]))
      assert.strictEqual(refusal(gap), "The row 3 of 1 in movements does not follow row 1")
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given a draft with a pet, it rejects", () =>
    Effect.gen(function* () {
      const store = yield* Storage
      yield* addDogs(store)
      yield* addPet(store)
      const draft = store.run(function* (tx) {
        yield* tx.insert(orders, (id) => anOrderRecord({ id, order: { state: "draft", petId: 1 } }))
      })
      assert.strictEqual(refusal(yield* Effect.exit(draft)), "In state draft, an order cannot have a pet")
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
