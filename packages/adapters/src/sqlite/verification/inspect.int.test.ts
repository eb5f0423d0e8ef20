import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import type { Storage } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { commandOf, startCommand } from "../../../test/support/program.ts"
import { addCategory, addPet } from "../../../test/support/rows.ts"
import { smallDisk } from "../../../test/support/smallDisk.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { openStore } from "../store.ts"

const addPets = (store: Storage["Service"], categoryId: number, count: number) =>
  store.run(function* (tx) {
    for (let n = 0; n < count; n++) yield* addPet(tx, categoryId, `Pet ${n}`)
  })

const opened = Effect.gen(function* () {
  const file = yield* temporaryFile
  const { store } = yield* openStore({ file })
  const categoryId = yield* store.run((tx) => addCategory(tx))
  yield* addPets(store, categoryId, 50)
  return { file, store }
})

const alter = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; ${sql}`)
  database.close()
}

/** Statements that damage a file, each of which is one problem. */
const damages = [
  // A constraint is broken.
  "UPDATE petstore_pets SET status = 'sold' WHERE id = 2",
  // A reference is broken.
  "UPDATE petstore_pets SET category_id = 9 WHERE id = 3",
  // An account is not in the log.
  "INSERT INTO petstore_access_log (subject, state) VALUES ('accounts/9', '[1,2,3]')",
  // A trigger is missing.
  "DROP TRIGGER petstore_movements_left",
  // A migration is not recorded.
  "DELETE FROM petstore_migrations WHERE id = 1"
]

describe("inspecting a file", () => {
  it.effect("finds no problem in a sound file, and each in a damaged one", () =>
    Effect.gen(function* () {
      const { file, store } = yield* opened
      assert.deepStrictEqual(yield* store.inspect, [])
      alter(file, damages.join(";"))
      assert.lengthOf(yield* store.inspect, damages.length)
    })
  )

  it.effect("names the folder for temporary files if that is full", (test) =>
    Effect.gen(function* () {
      const folder = yield* smallDisk
      if (folder === undefined) return test.skip("this process may not mount a small disk: run the tests as root")
      const file = yield* temporaryFile
      yield* Effect.scoped(openStore({ file }))
      alter(
        file,
        `WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n LIMIT 250000)
          INSERT INTO petstore_events (id, type, subject, timestamp, data)
          SELECT 'evt_' || hex(randomblob(160)), 'pet.created', 'pets/' || seq, '2026-01-01T00:00:00.000Z', '{}' FROM n`
      )
      const program = yield* startCommand([
        "env",
        `SQLITE_TMPDIR=${folder}`,
        ...(yield* commandOf("inspect-file", file))
      ])
      assert.match(
        (yield* program.line) ?? "",
        new RegExp(`^StorageFull: There is no room for temporary files in ${folder}\\. Free .* SQLITE_TMPDIR`)
      )
    })
  )
})
