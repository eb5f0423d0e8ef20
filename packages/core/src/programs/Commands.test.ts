import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { withRows } from "../../test/support/withRows.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"
import type { RunCommand } from "../ports/Storage.ts"
import { accounts } from "../tables/index.ts"

/** A petstore on a store that runs commands in another way; `ran` has each command. */
const opened = (changed: (run: RunCommand) => RunCommand) => {
  const ran: Array<string> = []
  const storage = withRows(memory(), ({ run }) => ({
    run: (begin, command) => {
      ran.push(String(command))
      return changed(run)(begin, command)
    }
  }))
  return { ran, layer: Petstore.layer(storage) }
}

const createAccount = Effect.flatMap(Petstore, (petstore) => petstore.accounts.create({ name: "Acme" }))

describe("given a store that runs commands itself", () => {
  it.effect("when a command runs, then the store runs it, and one for all of a transaction", () => {
    const { layer, ran } = opened((run) => run)
    return Effect.gen(function* () {
      const { accounts, categories, transaction } = yield* Petstore
      const added = yield* createAccount
      yield* transaction((tx) => tx.categories.create({ name: "Dogs" }))
      assert.deepStrictEqual((yield* accounts.list()).items, [added])
      assert.strictEqual((yield* categories.list()).items.length, 1)
      assert.deepStrictEqual(ran, ["accounts.create", "transaction"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("when a command dies, then it is not run again", () => {
    const { layer, ran } = opened((run) => {
      const dying: RunCommand = (begin, command) =>
        run((tx, context) => {
          const { insert } = tx
          tx.insert = (table, rowOf) => {
            if (table.name === accounts.name) throw new Error("A mistake")
            return insert.call(tx, table as never, rowOf) as never
          }
          return begin(tx, context)
        }, command)
      return dying
    })
    return Effect.gen(function* () {
      const { accounts } = yield* Petstore
      for (let count = 0; count < 2; count++) assert.isTrue(Exit.hasDies(yield* Effect.exit(createAccount)))
      assert.deepStrictEqual((yield* accounts.list()).items, [])
      assert.deepStrictEqual(ran, ["accounts.create", "accounts.create"])
    }).pipe(Effect.provide(layer))
  })
})
