import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openDatabase } from "../../../test/support/host.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { wordIndexes } from "../../../test/support/wordIndexCases.ts"
import { sqlite } from "../index.ts"

const alter = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

const partsIn = (file: string): number => {
  const database = new DatabaseSync(file)
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE '%words%'").all()
  database.close()
  return rows.length
}

const { casesWith, casesWithout, found, namesOf, opened, problems, shop } = wordIndexes({
  newPlace: temporaryFileInMemory,
  storage: (file, migrate = true) => sqlite({ file, migrate }),
  alter: (file, sql) => Effect.sync(() => alter(file, sql)),
  table: (name) => name,
  dropTrigger: (name) => `DROP TRIGGER ${name}`
})

describe("given a file without the index of words", () => {
  casesWithout()

  it.effect("when nobody asks for it, then there is none", () =>
    Effect.gen(function* () {
      assert.strictEqual(partsIn(yield* shop("Zoë")), 0)
    })
  )

  it.effect(
    "when it is opened for searches, then the pets that it has are found, those of an earlier release too",
    () =>
      Effect.gen(function* () {
        const file = yield* shop("Zoë", "Rex", "Zoé Max")
        alter(
          file,
          "UPDATE petstore_pets SET words = NULL WHERE id = 1; UPDATE petstore_pets SET words = 'max' WHERE id = 2"
        )
        assert.deepStrictEqual(yield* found(file, "zoe"), ["Zoë", "Zoé Max"])
        assert.deepStrictEqual(yield* found(file, "max"), ["Zoé Max"])
        assert.deepStrictEqual(yield* problems(file), [])
      })
  )

  it.effect("when ids are far apart, then the index has all pets", () =>
    Effect.gen(function* () {
      const file = yield* shop("Rex", "Zoë")
      alter(
        file,
        `INSERT INTO petstore_pets (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, created_at, updated_at, deleted)
          SELECT ${Number.MAX_SAFE_INTEGER}, 'Zoë late', category_id, status, version, on_hand, reserved, held, stock_version, last_movement, created_at, updated_at, deleted
          FROM petstore_pets WHERE id = 1`
      )
      assert.deepStrictEqual(yield* found(file, "zoe"), ["Zoë", "Zoë late"])
    })
  )
})

describe("given a file with the index of words", () => {
  casesWith()

  it.effect("when a transaction of the host application ends, then searches find what it has committed alone", () =>
    Effect.gen(function* () {
      const file = yield* shop("Rex")
      const petstore = yield* opened(file, "words")
      const database = yield* openDatabase(file)
      const create = (name: string) =>
        Effect.promise(() => petstore.pets.create({ name, categoryId: 1 }, { transaction: database }))
      database.exec("BEGIN IMMEDIATE")
      yield* create("Zoë")
      database.exec("ROLLBACK; BEGIN IMMEDIATE")
      yield* create("Zoé Two")
      database.exec("COMMIT")
      assert.deepStrictEqual(yield* Effect.promise(() => namesOf(petstore, "zoe")), ["Zoé Two"])
      assert.deepStrictEqual(yield* problems(file), [])
    })
  )

  it.effect("when many pets have a long word, then the first is found as fast as by a few letters of it", () =>
    Effect.gen(function* () {
      const file = yield* shop("Zoë")
      yield* found(file, "zoe")
      const database = new DatabaseSync(file)
      database.exec(`WITH RECURSIVE ids(id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM ids WHERE id < 30000)
        INSERT INTO petstore_pets_words (rowid, found) SELECT id, 'Chihuahuachen ' || id FROM ids`)
      const first = database.prepare(
        "SELECT rowid FROM petstore_pets_words WHERE petstore_pets_words MATCH ? ORDER BY rowid LIMIT 1"
      )
      const fastest = (word: string): number => {
        const times = Array.from({ length: 20 }, () => {
          const start = performance.now()
          assert.strictEqual(first.get(`${word}*`)?.rowid, 2)
          return performance.now() - start
        })
        return Math.min(...times)
      }
      assert.isBelow(fastest("chihuahuachen") / fastest("chi"), 10)
      database.close()
    })
  )
})
