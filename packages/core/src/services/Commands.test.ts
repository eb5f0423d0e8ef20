import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { UnknownRequest } from "../engine/Command.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"
import { runOf, withRun } from "../ports/commandRuns.ts"
import { type RunCommand, Storage } from "../ports/Storage.ts"
import { tables } from "../tables/index.ts"

/** A petstore on a store that runs commands itself, except for those that add an account; `tried` has those that it began. */
const opened = (thrown: Error) => {
  const tried: Array<string> = []
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) => {
      const run: RunCommand = (begin, command) => {
        tried.push(String(command))
        const refusing: typeof begin = (tx, context) => {
          const { insert } = tx
          tx.insert = (table, rowOf) => {
            if (table.name === "accounts") throw thrown
            return insert.call(tx, table as never, rowOf) as never
          }
          return begin(tx, context)
        }
        return (store.run as RunCommand)(refusing, command)
      }
      return withRun({ ...store, run })
    })
  )
  return { tried, layer: Petstore.layer({ name: "memory", layer: Layer.provide(storage, memory().layer) }) }
}

describe("given a store that runs commands itself, and does not know what one asks for", () => {
  const { layer, tried } = opened(new UnknownRequest("insert accounts"))

  it.effect("then that command runs by the rows of the store, from then on at once, and the others as before", () =>
    Effect.gen(function* () {
      const { accounts, categories } = yield* Petstore
      const added = [yield* accounts.create({ name: "Acme" }), yield* accounts.create({ name: "Zoo" })]
      assert.deepStrictEqual((yield* accounts.list()).items, added)
      yield* categories.create({ name: "Dogs" })
      assert.deepStrictEqual(tried, ["accounts.create", "categories.create"])
    }).pipe(Effect.provide(layer))
  )
})

describe("given a command that dies in such a store", () => {
  const { layer, tried } = opened(new Error("A mistake"))

  it.effect("then it is not run again", () =>
    Effect.gen(function* () {
      const { accounts } = yield* Petstore
      for (const name of ["Acme", "Zoo"]) assert.isTrue(Exit.hasDies(yield* Effect.exit(accounts.create({ name }))))
      assert.deepStrictEqual((yield* accounts.list()).items, [])
      assert.deepStrictEqual(tried, ["accounts.create", "accounts.create"])
    }).pipe(Effect.provide(layer))
  )
})

describe("given a decorator that replaces the rows of a table which commands use", () => {
  const names = new Set(Object.values(tables).flatMap((one) => ("table" in one ? [] : [one.name])))

  for (const name of names) {
    it.effect(`when that is ${name}, then commands are not run past it`, () =>
      Effect.gen(function* () {
        const store = yield* Storage
        assert.isDefined(runOf(store))
        assert.isUndefined(runOf({ ...store, [name]: { ...Object(Reflect.get(store, name)) } }))
      }).pipe(Effect.provide(memory().layer))
    )
  }
})
