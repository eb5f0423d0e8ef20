import { assert, describe, it } from "@effect/vitest"
import { aNewCategoryRecord, aPetRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { memory } from "../memory/index.ts"
import { immediateRows } from "./immediateRows.ts"
import { Storage } from "./Storage.ts"

type Store = Storage["Service"]

const pet = aPetRecord()

/** Runs a test on a store in memory with a category. */
const onStore = <E>(test: (store: Store, atOnce: Pick<Store, "pets" | "categories">) => Effect.Effect<void, E>) =>
  Effect.provide(
    Effect.flatMap(Storage, (store) =>
      Effect.flatMap(store.transact(store.categories.insert(aNewCategoryRecord())), () =>
        test(store, immediateRows(store))
      )
    ),
    Layer.fresh(memory().layer)
  )

const idOf = (exit: unknown): number => {
  assert.isTrue(Exit.isExit(exit) && Exit.isSuccess(exit))
  return Exit.isExit(exit) && Exit.isSuccess(exit) ? Number(exit.value) : Number.NaN
}

describe("given the immediate rows of a store in memory", () => {
  it.effect("when a body makes a call, then it has taken effect and has its result", () =>
    onStore((store, atOnce) =>
      store.transact(
        Effect.suspend(() => {
          const id = idOf(atOnce.pets.insert(pet))
          return Effect.map(store.pets.find(id), (found) =>
            assert.deepStrictEqual([found?.id, found?.name], [id, pet.name])
          )
        })
      )
    )
  )

  it.effect("when a body fails after a call, then the call is rolled back", () =>
    onStore((store, atOnce) =>
      Effect.gen(function* () {
        const body = Effect.suspend(() => {
          idOf(atOnce.pets.insert(pet))
          return Effect.fail("no" as const)
        })
        assert.strictEqual(yield* Effect.flip(store.transact(body)), "no")
        assert.deepStrictEqual(yield* store.pets.scan(0, 10), [])
      })
    )
  )

  it.effect("when a part of a body fails after a call, then the calls of the body around it stay", () =>
    onStore((store, atOnce) =>
      Effect.gen(function* () {
        const part = Effect.suspend(() => {
          idOf(atOnce.pets.insert({ ...pet, name: "Gone" }))
          return Effect.fail("no" as const)
        })
        yield* store.transact(
          Effect.suspend(() => {
            idOf(atOnce.pets.insert({ ...pet, name: "Before" }))
            return Effect.andThen(
              Effect.flip(store.transact(part)),
              Effect.sync(() => idOf(atOnce.pets.insert({ ...pet, name: "After" })))
            )
          })
        )
        const names = (yield* store.pets.scan(0, 10)).map(({ name }) => name)
        assert.deepStrictEqual(names, ["Before", "After"])
      })
    )
  )

  it.effect("when a row violates a constraint, then the call returns the failure and writes nothing", () =>
    onStore((store, atOnce) =>
      Effect.gen(function* () {
        yield* store.transact(
          Effect.sync(() => {
            const exit = atOnce.pets.insert({ ...pet, categoryId: 404 })
            assert.isTrue(Exit.isExit(exit) && Exit.isFailure(exit))
          })
        )
        assert.deepStrictEqual(yield* store.pets.scan(0, 10), [])
      })
    )
  )

  it.effect("when a call is made outside of a body, then it does nothing until it runs, as any other", () =>
    onStore((store, atOnce) =>
      Effect.gen(function* () {
        const insert = atOnce.pets.insert(pet)
        assert.isFalse(Exit.isExit(insert))
        assert.deepStrictEqual(yield* store.pets.scan(0, 10), [])
        assert.strictEqual((yield* atOnce.pets.find(yield* store.transact(insert)))?.name, pet.name)
      })
    )
  )

  it.effect("when the body of another store runs, then a call takes no effect in it", () =>
    onStore((store) =>
      onStore((_, other) => store.transact(Effect.sync(() => assert.isFalse(Exit.isExit(other.pets.insert(pet))))))
    )
  )

  it.effect("when a decorator has replaced the rows of a kind, then its rows are used, and the others stay", () =>
    onStore((store, atOnce) =>
      Effect.sync(() => {
        const pets = { ...store.pets }
        const rows = immediateRows({ ...store, pets })
        assert.strictEqual(rows.pets, pets)
        assert.strictEqual(rows.categories, atOnce.categories)
      })
    )
  )
})
