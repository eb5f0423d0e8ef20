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
  it.effect("when a command runs, then the store runs it, alone and as part of a transaction", () => {
    const { layer, ran } = opened(() => ({}))
    return Effect.gen(function* () {
      const { accounts, categories, transaction } = yield* Petstore
      const added = yield* createAccount
      yield* transaction(categories.create({ name: "Dogs" }))
      assert.deepStrictEqual((yield* accounts.list()).items, [added])
      assert.strictEqual((yield* categories.list()).items.length, 1)
      assert.deepStrictEqual(ran, ["accounts.create", "categories.create"])
    }).pipe(Effect.provide(layer))
  })

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

  it.effect("when a command changes nothing, then nothing is written", () => {
    let writes = 0
    const { layer } = opened(({ write }) => ({
      run: undefined,
      write: (all) => {
        writes++
        return write(all)
      }
    }))
    return Effect.gen(function* () {
      const { categories } = yield* Petstore
      const { id, name } = yield* categories.create({ name: "Dogs" })
      assert.strictEqual(writes, 1)
      yield* categories.update(id, { name })
      assert.strictEqual(writes, 1)
    }).pipe(Effect.provide(layer))
  })
})
