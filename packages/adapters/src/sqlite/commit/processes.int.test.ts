import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { accounts } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { startProgram } from "../../../test/support/program.ts"
import { petNames } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { migrations } from "../schema/migrations/index.ts"
import { openStore } from "../store.ts"

describe("many processes on one file", () => {
  it.effect("8 processes that start at once all open it, and each migration runs once", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const starters = yield* Effect.all(Array.from({ length: 8 }, () => startProgram("open-store", file)))
      for (const starter of starters) assert.strictEqual(yield* starter.line, "ready")
      for (const starter of starters) yield* starter.send("go")
      for (const starter of starters) assert.strictEqual(yield* starter.exit, 0)
      const { store, writer } = yield* openStore({ file, migrate: false })
      const { count } = writer.database.prepare("SELECT count(*) AS count FROM petstore_migrations").get() ?? {}
      assert.strictEqual(count, migrations.length)
      assert.strictEqual((yield* store.scan(accounts, [], 100)).length, 8)
      assert.deepStrictEqual(yield* store.inspect, [])
    })
  )

  it.effect("3 processes that write at once all make progress, and lose nothing", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const store = yield* openSqlite(file)
      const writers = yield* Effect.all([1, 8, 64].map((n) => startProgram("write-pets", file, `${n}`, "300")))
      const acknowledged: Array<string> = []
      for (const writer of writers) {
        const [started, ...names] = yield* writer.rest
        assert.strictEqual(started, "started")
        assert.strictEqual(yield* writer.exit, 0)
        acknowledged.push(...names)
      }
      assert.strictEqual(acknowledged.length, 900)
      assert.deepStrictEqual((yield* petNames(store)).toSorted(), acknowledged.toSorted())
      assert.isFalse(existsSync(`${file}-turns`))
    })
  )
})
