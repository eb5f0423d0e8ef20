import { writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { goOn, map } from "@petstore/core/ports"
import { categories } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { addCategory } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { openReader } from "./open.ts"
import { Snapshots } from "./Snapshots.ts"

const open = Effect.flatMap(temporaryFile, openSqlite)

type Opened = Effect.Success<typeof open>

const count = (store: Opened) => Effect.map(store.scan(categories, [], 100), (categories) => categories.length)

const add = (store: Opened, name: string) => store.run((tx) => addCategory(tx, name))

describe("a snapshot of a file", () => {
  it.effect("closes its connection if it cannot begin", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      writeFileSync(file, "a shopping list, which is not at all a database")
      const connection = openReader(file)
      const error = yield* Effect.flip(new Snapshots(() => connection).begin)
      assert.strictEqual(error._tag, "InternalError")
      assert.isFalse(connection.database.isOpen)
    })
  )

  it.effect("closes its connection if it cannot be rolled back", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* openSqlite(file)
      const connection = openReader(file)
      const snapshots = new Snapshots(() => connection)
      const snapshot = yield* snapshots.begin
      connection.rollback = () => assert.fail("disk I/O error")
      yield* snapshots.end(snapshot)
      assert.isFalse(connection.database.isOpen)
    })
  )

  it.effect("shows the state when it begins, not at its first read", () =>
    Effect.gen(function* () {
      const store = yield* open
      const seen = yield* store.snapshot(Effect.andThen(add(store, "Dogs"), count(store)))
      assert.deepStrictEqual([seen, yield* count(store)], [0, 1])
    })
  )

  it.effect("of a body without a fiber shows one state although another process commits meanwhile", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const store = yield* openSqlite(file)
      yield* add(store, "Dogs")
      const other = new DatabaseSync(file)
      const read = () => map(store.scan(categories, [], 100), ({ length }) => length)
      const body = goOn(read(), (before) => {
        other.exec("DELETE FROM petstore_categories")
        return map(read(), (after) => [before, after])
      })
      assert.deepStrictEqual(yield* store.snapshot(body), [0, 0])
      other.close()
    })
  )

  it.effect("does not change inside a snapshot of another file", () =>
    Effect.gen(function* () {
      const one = yield* open
      const other = yield* open
      yield* add(other, "Birds")
      const seen = yield* one.snapshot(
        other.snapshot(
          Effect.gen(function* () {
            yield* add(one, "Dogs")
            yield* add(other, "Cats")
            return [yield* count(one), yield* count(other)]
          })
        )
      )
      assert.deepStrictEqual(seen, [0, 1])
    })
  )

  it.effect("that is open when the store closes fails with ShuttingDown", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const store = yield* Scope.provide(open, scope)
      const error = yield* Effect.flip(store.snapshot(Effect.andThen(Scope.close(scope, Exit.void), count(store))))
      assert.strictEqual(error._tag, "ShuttingDown")
    })
  )
})
