import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { withRows } from "../../test/support/withRows.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"
import type { RunCommand, Storage } from "../ports/Storage.ts"
import { accounts } from "../tables/index.ts"

/** A petstore on a store with other operations; `ran` has each command that the store itself ran, `transacted` each transaction. */
const opened = (changed: (store: Storage["Service"]) => Partial<Storage["Service"]>) => {
  const [ran, transacted]: [Array<string>, Array<string>] = [[], []]
  const storage = withRows(memory(), (store) => {
    const { run, transact, ...operations } = { ...store, ...changed(store) }
    const noted: RunCommand | undefined =
      run &&
      ((begin, command) => {
        ran.push(String(command))
        return run(begin, command)
      })
    return {
      ...operations,
      run: noted,
      transact: (body, command) => {
        transacted.push(String(command))
        return transact(body, command)
      }
    }
  })
  return { ran, transacted, layer: Petstore.layer(storage) }
}

const createAccount = Effect.flatMap(Petstore, (petstore) => petstore.accounts.create({ name: "Acme" }))

describe("given a store that runs commands itself", () => {
  it.effect(
    "when a command runs alone, then the store runs it, and when it is part of a transaction, its rows do",
    () => {
      const { layer, ran, transacted } = opened(() => ({}))
      return Effect.gen(function* () {
        const { accounts, categories, transaction } = yield* Petstore
        const added = yield* createAccount
        yield* transaction(categories.create({ name: "Dogs" }))
        assert.deepStrictEqual((yield* accounts.list()).items, [added])
        assert.strictEqual((yield* categories.list()).items.length, 1)
        assert.deepStrictEqual([ran, transacted.slice(-1)], [["accounts.create"], ["categories.create"]])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("when a command dies, then it is not run again", () => {
    const { layer, ran, transacted } = opened(({ run }) => {
      const dying: RunCommand = (begin, command) =>
        (run as RunCommand)((tx, context) => {
          const { insert } = tx
          tx.insert = (table, rowOf) => {
            if (table.name === accounts.name) throw new Error("A mistake")
            return insert.call(tx, table as never, rowOf) as never
          }
          return begin(tx, context)
        }, command)
      return { run: dying }
    })
    return Effect.gen(function* () {
      const { accounts } = yield* Petstore
      for (let count = 0; count < 2; count++) assert.isTrue(Exit.hasDies(yield* Effect.exit(createAccount)))
      assert.deepStrictEqual((yield* accounts.list()).items, [])
      assert.deepStrictEqual([ran, transacted], [["accounts.create", "accounts.create"], []])
    }).pipe(Effect.provide(layer))
  })
})

describe("given a store that leaves commands to the engine", () => {
  it.effect("then they run as transactions, on its rows", () => {
    const inserted: Array<string> = []
    const { layer, transacted } = opened(({ insert }) => ({
      run: undefined,
      insert: (table, rowsOf) => {
        inserted.push(table.name)
        return insert(table, rowsOf)
      }
    }))
    return Effect.gen(function* () {
      const { accounts } = yield* Petstore
      const added = yield* createAccount
      assert.deepStrictEqual((yield* accounts.list()).items, [added])
      assert.deepStrictEqual([transacted, inserted], [["accounts.create"], ["accounts"]])
    }).pipe(Effect.provide(layer))
  })
})
