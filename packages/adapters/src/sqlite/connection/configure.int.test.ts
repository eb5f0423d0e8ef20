import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openDatabase } from "../../../test/support/host.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { openStore } from "../store.ts"
import { configure } from "./configure.ts"

const pragma = (database: DatabaseSync, name: string) =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

describe("the settings of the writer", () => {
  it.effect("are applied to an open store", () =>
    Effect.gen(function* () {
      const { writer } = yield* openStore({ file: yield* temporaryFile })
      const found = ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "fullfsync", "checkpoint_fullfsync"]
      assert.deepStrictEqual(
        found.map((name) => pragma(writer.database, name)),
        ["wal", 2, 1, 0, 1, 1]
      )
    })
  )

  it.effect("are applied to a file that has others", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const other = new DatabaseSync(file)
      other.exec("PRAGMA journal_mode = DELETE; CREATE TABLE hosts (id INTEGER)")
      other.close()
      const { writer } = yield* openStore({ file })
      assert.strictEqual(pragma(writer.database, "journal_mode"), "wal")
    })
  )

  it("that cannot be applied are named in the error", () => {
    const database = new DatabaseSync(":memory:")
    assert.throws(() => configure(database), /journal_mode is memory and cannot be set to wal/)
    database.close()
  })

  for (const encoding of ["UTF-16le", "UTF-16be"]) {
    it.effect(`cannot be put in force on a file whose encoding is ${encoding}, which orders names in another way`, () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const host = yield* openDatabase(file)
        host.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE invoices (id INTEGER)`)
        const error = yield* Effect.flip(openStore({ file }))
        assert.include(error.message, `its encoding is ${encoding}`)
        assert.strictEqual(pragma(host, "journal_mode"), "delete")
      })
    )
  }
})
