import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"
import { migrationSql, migrationState, schemaProblems } from "./migrationState.ts"
import { migrations } from "./migrations/index.ts"

const run = (file: string, statements: string): void => {
  const database = new DatabaseSync(file)
  database.exec(statements)
  database.close()
}

const differs = "differs from the one that the migrations create"

/** What is broken by hand, and what is found then. */
const damages: ReadonlyArray<readonly [damage: string, ...found: ReadonlyArray<string>]> = [
  [
    "DROP INDEX petstore_orders_pet; CREATE INDEX petstore_orders_pet ON petstore_orders (pet_id)",
    `the index petstore_orders_pet ${differs}`
  ],
  ["DROP TRIGGER petstore_movements_kept", "the trigger petstore_movements_kept is missing"],
  [
    `DROP TRIGGER petstore_events_left;
     CREATE TRIGGER petstore_events_left BEFORE DELETE ON petstore_events BEGIN SELECT 1; END`,
    `the trigger petstore_events_left ${differs}`
  ],
  ["DROP TABLE petstore_write_check", "the table petstore_write_check is missing"],
  // A table without its constraints and indexes.
  [
    `PRAGMA foreign_keys = OFF; CREATE TABLE copy AS SELECT * FROM petstore_pets; DROP TABLE petstore_pets;
     CREATE TABLE petstore_pets (id INTEGER PRIMARY KEY, name, category_id, status, version, on_hand, reserved, held,
       stock_version, last_movement, created_at, updated_at, deleted, words, extra);
     INSERT INTO petstore_pets SELECT *, 1 FROM copy; DROP TABLE copy`,
    `the table petstore_pets ${differs}`,
    "the index petstore_pets_live is missing",
    "the index petstore_pets_status is missing",
    "the index petstore_pets_category_status is missing",
    "the index petstore_pets_status_name is missing",
    "the index petstore_pets_category_status_name is missing"
  ]
]

describe("given an SQLite file whose schema was changed by hand", () => {
  it.effect("when it is damaged in all of these ways, then each is named, and the statements mend it", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const use = (name: string) =>
        Effect.promise(async () => {
          await using petstore = await createPetstore({ storage: sqlite(file) })
          const { id: categoryId } = await petstore.categories.create({ name })
          const { id } = await petstore.pets.create({ name, categoryId })
          await petstore.orders.place({ petId: id })
          await petstore.accounts.create({ name })
          const { checks } = await petstore.verify()
          return [id, checks.filter(({ violations }) => violations > 0)]
        })
      assert.deepStrictEqual(yield* use("First"), [1, []])
      assert.deepStrictEqual(yield* schemaProblems(file), [])
      run(file, damages.map(([damage]) => damage).join(";"))
      const problems = yield* schemaProblems(file)
      assert.sameMembers(
        problems.map(({ problem }) => problem),
        damages.flatMap(([, ...found]) => found)
      )
      run(file, problems.flatMap(({ statements }) => statements).join("\n"))
      assert.deepStrictEqual(yield* schemaProblems(file), [])
      assert.deepStrictEqual(yield* use("Second"), [2, []])
    })
  )
})

describe("given the SQL of a migration of an SQLite file", () => {
  it.effect("when it was printed, then there is no file; and when another program runs it, then the store opens", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const prefix = { tablePrefix: "shop_" }
      assert.deepStrictEqual(
        (yield* schemaProblems(file)).map(({ problem }) => problem),
        [`the schema lacks the migrations ${migrations.map(({ id }) => id).join(", ")}: run petstore migrate`]
      )
      const sql = [yield* migrationSql(file), yield* migrationSql(file, prefix)]
      assert.match(sql[0] ?? "", /^BEGIN IMMEDIATE;\n/)
      assert.isFalse(existsSync(file))
      run(file, sql.join("\n"))
      assert.deepStrictEqual([yield* migrationSql(file), yield* migrationSql(file, prefix)], [undefined, undefined])
      assert.deepStrictEqual([...(yield* schemaProblems(file)), ...(yield* schemaProblems(file, prefix))], [])
      const petstore = yield* Effect.promise(() => createPetstore({ storage: sqlite({ file, migrate: false }) }))
      assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
      yield* Effect.promise(() => petstore.close())
    })
  )
})

describe("given an SQLite file that was emptied, with its log beside it", () => {
  for (const [what, read] of Object.entries({ migrationSql, migrationState, schemaProblems })) {
    it.effect(`when ${what} reads it, then the log stays as it is`, () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        writeFileSync(file, "")
        writeFileSync(`${file}-wal`, "log")
        const found: unknown = yield* read(file)
        assert.deepStrictEqual(found, yield* read(`${file}.missing`))
        assert.strictEqual(readFileSync(`${file}-wal`, "utf8"), "log")
      })
    )
  }
})
