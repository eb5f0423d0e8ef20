import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { openDatabase } from "../../../test/support/host.ts"
import { rejection, untyped } from "../../../test/support/rejections.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

describe("given the database of a host to open a petstore in", () => {
  it("when it is in memory, temporary, closed or not a connection, then the error shows what to do", () => {
    for (const [file, message] of [
      [":memory:", /in memory or temporary.*Use a file, or memory\(\)/],
      ["", /in memory or temporary/]
    ] as const) {
      const database = new DatabaseSync(file)
      assert.throws(() => sqlite({ database }), TypeError, message)
      database.close()
      assert.throws(() => sqlite({ database }), TypeError, /is a closed connection/)
    }
    for (const database of [{}, null, "petstore.db", 5]) {
      assert.throws(() => sqlite({ database: untyped(database) }), TypeError, /must be a DatabaseSync/)
    }
    assert.throws(() => sqlite(untyped({ database: {}, file: "petstore.db" })), TypeError, /file or database, not both/)
  })

  for (const [what, begin] of [
    ["writes in a transaction", "BEGIN IMMEDIATE"],
    ["keeps it for itself", "PRAGMA locking_mode = EXCLUSIVE; INSERT INTO invoices VALUES (1)"]
  ] as const) {
    it.effect(`when it ${what}, then opening says what is in the way, and goes on once that has ended`, () =>
      Effect.gen(function* () {
        const database = yield* openDatabase(yield* temporaryFile)
        database.exec(`CREATE TABLE invoices (id INTEGER); ${begin}`)
        const open = () => createPetstore({ storage: sqlite({ database, lockTimeout: 20 }) })
        const error = yield* Effect.promise(() => rejection(open()))
        assert.match(
          String(error),
          /StorageBusy: The file cannot be opened now: .* EXCLUSIVE.* transaction of your own app/
        )
        if (database.isTransaction) database.exec("COMMIT")
        database.exec("PRAGMA locking_mode = NORMAL; DELETE FROM invoices")
        yield* Effect.promise(async () => (await open()).close())
      })
    )
  }
})
