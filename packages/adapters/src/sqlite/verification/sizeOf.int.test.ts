import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { Connection } from "../connection/Connection.ts"
import { sizeOf } from "./sizeOf.ts"

describe("the size of a database", () => {
  it.effect("given a log that once grew, then it is that of the rows", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const writer = new DatabaseSync(file)
      const reader = new DatabaseSync(file)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          writer.close()
          reader.close()
        })
      )
      writer.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE numbers (n); INSERT INTO numbers VALUES (0)"
      )
      // As long as it reads, the log is not written from its start again.
      reader.exec("BEGIN; SELECT * FROM numbers")
      const update = writer.prepare("UPDATE numbers SET n = n + 1")
      for (let n = 0; n < 1_500; n++) update.run()
      reader.exec("COMMIT")
      writer.exec("PRAGMA wal_checkpoint")
      assert.isAbove(statSync(`${file}-wal`).size, 4 * 1024 * 1024)
      assert.strictEqual(sizeOf(new Connection(reader), file), 2 * 4_096)
    })
  )

  it.effect("given rows that are in the log alone, then it counts them", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const database = new DatabaseSync(file)
      yield* Effect.addFinalizer(() => Effect.sync(() => database.close()))
      database.exec("PRAGMA journal_mode = WAL; CREATE TABLE texts (t); PRAGMA wal_checkpoint(TRUNCATE)")
      database.exec("PRAGMA wal_autocheckpoint = 0; INSERT INTO texts VALUES (zeroblob(1000000))")
      assert.isBelow(statSync(file).size, 100_000)
      assert.isAbove(sizeOf(new Connection(database), file), 1_000_000)
    })
  )

  it.effect("given a file that cannot be read, then it is that of the file", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const database = new DatabaseSync(file)
      database.exec("CREATE TABLE numbers (n)")
      database.close()
      assert.strictEqual(sizeOf(new Connection(database), file), statSync(file).size)
    })
  )
})
