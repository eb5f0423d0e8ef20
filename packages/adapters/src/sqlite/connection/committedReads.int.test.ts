import { statSync } from "node:fs"
import { DatabaseSync, StatementSync } from "node:sqlite"
import { assert, describe, it, vi } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { fail } from "@petstore/core/kernel"
import { apiKeys, categories } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { addCategory } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../index.ts"
import { openStore } from "../store.ts"

const opened = Effect.gen(function* () {
  const file = yield* temporaryFile
  const { store, writer } = yield* openStore({ file })
  const id = yield* store.run((tx) => addCategory(tx, "Dogs"))
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file, { timeout: 0 })),
    (database) => Effect.sync(() => database.close())
  )
  /** The name of the category, as a call outside of any transaction reads it within this turn of the event loop. */
  const nameOfCall = (): string | undefined => Effect.runSync(store.find(categories, id))?.category.name
  /** The same, as a request reads it, after its key. */
  const name = (): string | undefined => {
    Effect.runSync(store.find(apiKeys, 1))
    return nameOfCall()
  }
  const rename = (to: string): void =>
    void other.prepare("UPDATE petstore_categories SET name = ?, name_key = ? WHERE id = ?").run(to, to, id)
  /** Whether a connection can empty the log, which it cannot while another one reads. */
  const canEmptyLog = (): boolean => other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0
  return { file, store, writer, name, nameOfCall, rename, canEmptyLog, id }
})

const nextTurn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

describe("reads outside of transactions", () => {
  it.effect("given commits of another connection between reads of one turn, then each read sees those before it", () =>
    Effect.gen(function* () {
      const { name, rename } = yield* opened
      const seen = ["Cats", "Birds", "Fish"].map((to) => {
        const before = name()
        rename(to)
        return [before, name(), name()]
      })
      assert.deepStrictEqual(seen, [
        ["Dogs", "Cats", "Cats"],
        ["Cats", "Birds", "Birds"],
        ["Birds", "Fish", "Fish"]
      ])
    })
  )

  it.effect("given a command that has saved, when its code reads outside of it, then it sees no uncommitted row", () =>
    Effect.gen(function* () {
      const { id, name, store } = yield* opened
      const before = name()
      const during = yield* store.run(function* (tx) {
        const found = yield* tx.lock(categories, id)
        if (found === undefined) throw new Error("It has no category")
        tx.save(categories, { ...found, category: { ...found.category, name: "Cats" }, nameKey: "cats" })
        return [name(), (yield* tx.find(categories, id))?.category.name, name()]
      })
      assert.deepStrictEqual([before, ...during, name()], ["Dogs", "Dogs", "Cats", "Dogs", "Cats"])
    })
  )

  it.effect(
    "given a transaction that was begun after a read of its turn, then reads see what was committed since",
    () =>
      Effect.gen(function* () {
        const { name, rename, writer } = yield* opened
        const before = name()
        rename("Cats")
        writer.run("BEGIN")
        const during = name()
        writer.rollback()
        assert.deepStrictEqual([before, during, name()], ["Dogs", "Cats", "Cats"])
      })
  )

  it.effect("given one that was rolled back, then reads in the same turn see the state before it", () =>
    Effect.gen(function* () {
      const { name, store } = yield* opened
      yield* Effect.exit(
        store.run(function* (tx) {
          yield* addCategory(tx, "Cats")
          yield* fail("no")
        })
      )
      assert.deepStrictEqual(
        [name(), (yield* store.scan(categories, [], 10)).map(({ category }) => category.name)],
        ["Dogs", ["Dogs"]]
      )
    })
  )

  it.effect("given a read that is no request, then it holds no lock", () =>
    Effect.gen(function* () {
      const { canEmptyLog, nameOfCall, rename } = yield* opened
      rename("Cats")
      nameOfCall()
      rename("Birds")
      assert.deepStrictEqual([canEmptyLog(), nameOfCall()], [true, "Birds"])
    })
  )

  it.effect("given requests of one turn, then they keep others from emptying the log until the next turn only", () =>
    Effect.gen(function* () {
      const { canEmptyLog, name, rename } = yield* opened
      rename("Cats")
      name()
      rename("Birds")
      const during = canEmptyLog()
      yield* nextTurn
      assert.deepStrictEqual([during, canEmptyLog()], [false, true])
    })
  )

  it.effect("given requests in each turn, when transactions commit, then the log starts again from its beginning", () =>
    Effect.gen(function* () {
      const { canEmptyLog, file, name, store, writer } = yield* opened
      writer.run("PRAGMA wal_autocheckpoint = 10")
      yield* nextTurn
      assert.isTrue(canEmptyLog())
      for (let n = 0; n < 100; n++) {
        // In the turn in which the transaction commits, before and after it.
        setImmediate(name)
        yield* store.run((tx) => addCategory(tx, `Cats ${n}`))
        name()
      }
      const pages = statSync(`${file}-wal`).size / 4096
      assert.isBelow(pages, 30)
    })
  )

  it.effect("given many requests without a turn of the event loop, then the lock is released between them", () =>
    Effect.gen(function* () {
      const { name } = yield* opened
      const get = vi.spyOn(StatementSync.prototype, "get")
      yield* Effect.addFinalizer(() => Effect.sync(() => get.mockRestore()))
      for (let n = 0; n < 5_000; n++) name()
      const ends = get.mock.contexts.filter(
        (statement) => statement instanceof StatementSync && statement.sourceSQL === "END"
      ).length
      assert.strictEqual(ends, 4)
    })
  )

  it.live(
    "given a store that is closed in the turn of a read, then later ones report that, and nothing is left open",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* Effect.promise(async () => {
          const petstore = await createPetstore({ storage: sqlite(file) })
          await petstore.categories.list()
          await petstore.close()
          const error: unknown = await petstore.categories.list().catch((cause: unknown) => cause)
          assert.propertyVal(error, "code", "shutting_down")
        })
        const other = new DatabaseSync(file)
        assert.strictEqual(other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy, 0)
        other.close()
      })
  )
})
