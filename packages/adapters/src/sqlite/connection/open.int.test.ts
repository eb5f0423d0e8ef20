import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { categories } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { addCategory } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import type { SqliteOptions } from "../SqliteOptions.ts"
import { migrationState } from "../schema/migrationState.ts"
import { openingError } from "./open.ts"

const refusal = (options: string | SqliteOptions) =>
  Effect.map(Effect.flip(Effect.scoped(openSqlite(options))), (error) => {
    assert.strictEqual(error._tag, "InternalError")
    return error.message
  })

const run = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

describe("opening a file", () => {
  it.effect("rejects a path that names no file, and refers to the memory store", () =>
    Effect.gen(function* () {
      const urls = ["sqlite:x.db", "sqlite://x.db", "SQLITE:x.db", "libsql:x.db", "jdbc:sqlite:x.db", "memory:"]
      for (const file of [":memory:", "", " ", "file:petstore.db", "file::memory:?cache=shared", ...urls]) {
        assert.match(yield* refusal(file), /is not the path of a file. Write sqlite\("petstore.db"\).*memory\(\)/)
        const states = yield* Effect.flip(migrationState(file))
        assert.match(states.message, /is not the path of a file/)
        assert.isFalse(existsSync(file))
      }
    })
  )

  it.effect("rejects the path of a folder, and one that leads through a file, and names that", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      for (const folder of [`${file}/`, `${file}/.`]) {
        assert.match(yield* refusal(folder), /is the path of a folder\. Name a file in it/)
      }
      assert.isFalse(existsSync(file))
      writeFileSync(file, "")
      for (const path of [join(file, "x.db"), join(file, "a", "x.db")]) {
        const reason = `Cannot use ${path}: ${file} is a file, not a folder. Correct the path.`
        assert.strictEqual(yield* refusal(path), reason)
        assert.include((yield* Effect.flip(migrationState(path))).message, reason)
      }
    })
  )

  it.effect("opens a file whose name has a colon, as the drives of Windows have", () =>
    Effect.gen(function* () {
      const file = join(dirname(yield* temporaryFile), "c:x.db")
      yield* Effect.scoped(openSqlite(file))
      assert.isTrue(existsSync(file))
    })
  )

  it.effect("rejects the URL of a server, and does not show it, since it may have a password", () =>
    Effect.gen(function* () {
      const message = yield* refusal("postgres://ann:secret@db/shop")
      assert.include(message, "a string of 29 characters is not the path of a file.")
      assert.include(message, "postgres() for a URL")
    })
  )

  it.effect("rejects a file that is not a database, and does not change it", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const text = "a shopping list, which is not at all a database"
      writeFileSync(file, text)
      assert.match(
        yield* refusal(file),
        /Cannot use .*petstore\.db: file is not a database\. .* Correct the path; the file was not changed\.$/
      )
      assert.strictEqual(readFileSync(file, "utf8"), text)
    })
  )

  it("says what may be the reason when its file cannot be written to", () => {
    const { message } = openingError("petstore.db", Object.assign(new Error("disk I/O error"), { errcode: 778 }))
    assert.match(message, /^Cannot use petstore\.db: disk I\/O error\. The disk is full or fails, or .*ulimit -f/)
  })

  it.effect("rejects a file in a directory that does not exist", () =>
    Effect.gen(function* () {
      const folder = join(dirname(yield* temporaryFile), "nowhere")
      const file = join(folder, "petstore.db")
      const reason = `the folder ${folder} does not exist. Create it, or correct the path.`
      assert.include(yield* refusal(file), `Cannot use ${file}: ${reason}`)
    })
  )

  it.effect("creates the file, and reads the same data when it is opened again", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const id = yield* Effect.scoped(Effect.flatMap(openSqlite(file), (store) => store.run((tx) => addCategory(tx))))
      assert.isFalse(existsSync(`${file}-wal`), "the last to close empties the log into the file")
      const store = yield* openSqlite(file)
      assert.strictEqual((yield* store.find(categories, id))?.category.name, "Dogs")
    })
  )

  it.effect("with migrate: false rejects a file that does not exist, and does not create it", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      assert.match(yield* refusal({ file, migrate: false }), /there is no such file/)
      assert.isFalse(existsSync(file))
    })
  )

  it.effect("with migrate: false rejects a file with an older schema, and opens one that is up to date", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      run(file, "CREATE TABLE hosts (id INTEGER PRIMARY KEY)")
      assert.match(yield* refusal({ file, migrate: false }), /lacks (\d+) of \1 migrations.*petstore migrate/)
      yield* Effect.scoped(openSqlite(file))
      yield* (yield* openSqlite({ file, migrate: false })).ready
    })
  )
})
