import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openDatabase, openGuest } from "../../../test/support/host.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { migrationState } from "../schema/migrationState.ts"
import { migrations } from "../schema/migrations/index.ts"
import { sqlite } from "../sqlite.ts"
import { openStore } from "../store.ts"

/** A value that the types forbid, as callers without types send it. */
const untyped = (value: unknown): never => value as never

/** Two petstores in one file, each with a pet and an order under the same idempotency key. */
const twoPetstores = Effect.gen(function* () {
  const file = yield* temporaryFileInMemory
  const db = yield* openDatabase(file)
  const petstores = [yield* openGuest(db), yield* openGuest(db, { tablePrefix: "my_petstore_" })] as const
  for (const [index, petstore] of petstores.entries()) {
    yield* Effect.promise(async () => {
      const { id: categoryId } = await petstore.categories.create({ name: `Shop ${index}` })
      const { id: petId } = await petstore.pets.create({ name: `Rex ${index}`, categoryId })
      await petstore.orders.place({ petId }, { idempotencyKey: "once" })
    })
  }
  return { file, db, petstores }
})

describe("given two petstores with two prefixes in one file", () => {
  it.effect("then ids, keys and stock of one are not those of the other, and both verify", () =>
    Effect.gen(function* () {
      const { petstores } = yield* twoPetstores
      for (const [index, petstore] of petstores.entries()) {
        const names = yield* Effect.promise(() => petstore.pets.list())
        assert.deepStrictEqual(names.items, [{ id: 1, name: `Rex ${index}`, categoryId: 1, status: "pending" }])
        assert.strictEqual((yield* Effect.promise(() => petstore.orders.list())).items.length, 1)
        yield* checkInvariants(petstore)
      }
    })
  )

  it.effect("then both join one transaction of the host", () =>
    Effect.gen(function* () {
      const { db, petstores } = yield* twoPetstores
      for (const end of ["ROLLBACK", "COMMIT"]) {
        db.exec("BEGIN IMMEDIATE")
        for (const petstore of petstores) {
          yield* Effect.promise(() => petstore.categories.create({ name: end }, { transaction: db }))
        }
        db.exec(end)
      }
      for (const petstore of petstores) {
        const { items } = yield* Effect.promise(() => petstore.categories.list())
        assert.deepStrictEqual(
          items.map(({ name }) => name.replace(/\d/, "")),
          ["Shop ", "COMMIT"]
        )
        yield* checkInvariants(petstore)
      }
    })
  )

  it.effect("then every table, index and trigger has its prefix, and both sets have the same definitions", () =>
    Effect.gen(function* () {
      const { db } = yield* twoPetstores
      const names = db
        .prepare("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL")
        .all()
        .map(({ name }) => String(name))
      const mine = names.filter((name) => name.startsWith("my_petstore_"))
      assert.isAbove(mine.length, 15)
      assert.sameMembers(
        names,
        mine.flatMap((name) => [name, name.replace("my_", "")])
      )
    })
  )

  it.effect("then their migrations are the same, by their checksums", () =>
    Effect.gen(function* () {
      const { db, file } = yield* twoPetstores
      const checksums = ["petstore_", "my_petstore_"].map((prefix) =>
        db.prepare(`SELECT id, name, checksum FROM ${prefix}migrations`).all()
      )
      assert.deepStrictEqual(checksums[0], checksums[1])
      const states = yield* migrationState(file, { tablePrefix: "my_petstore_" })
      assert.deepStrictEqual(
        states.map(({ appliedAt, id }) => [id, appliedAt === undefined]),
        migrations.map(({ id }) => [id, false])
      )
      const absent = yield* migrationState(file, { tablePrefix: "other_" })
      assert.isUndefined(absent[0]?.appliedAt)
    })
  )

  it.effect("then verify of one ignores problems in the tables of the other and of the host application", () =>
    Effect.gen(function* () {
      const { file } = yield* twoPetstores
      const db = yield* openDatabase(file, { enableForeignKeyConstraints: false })
      db.exec(`DROP INDEX petstore_pets_status_name;
        UPDATE petstore_pets SET category_id = 9;
        CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers (id));
        INSERT INTO invoices (customer) VALUES (1)`)
      const problems = (tablePrefix: string) =>
        Effect.scoped(Effect.flatMap(openStore({ file, tablePrefix }), ({ store }) => store.inspect))
      assert.deepStrictEqual(yield* problems("my_petstore_"), [])
      assert.deepStrictEqual(yield* problems("petstore_"), [
        "row 1 of petstore_pets refers to a row that petstore_categories does not have",
        "the index petstore_pets_status_name is missing"
      ])
    })
  )

  it.effect("then a backup has both", () =>
    Effect.gen(function* () {
      const { petstores } = yield* twoPetstores
      const copy = yield* temporaryFileInMemory
      yield* Effect.promise(() => petstores[1].backup(copy))
      const db = yield* openDatabase(copy)
      yield* checkInvariants(yield* openGuest(db))
      yield* checkInvariants(yield* openGuest(db, { tablePrefix: "my_petstore_" }))
    })
  )
})

describe("given a custom prefix", () => {
  const marks = (file: string) => {
    const db = new DatabaseSync(file, { readOnly: true })
    const { application_id } = db.prepare("PRAGMA application_id").get() ?? {}
    const { user_version } = db.prepare("PRAGMA user_version").get() ?? {}
    db.close()
    return [application_id, user_version]
  }

  it.effect("when the file is new, then its application_id is not set", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      yield* Effect.scoped(openStore({ file, tablePrefix: "shop_" }))
      assert.deepStrictEqual(marks(file), [0, 0])
      const ours = yield* temporaryFileInMemory
      yield* Effect.scoped(openStore({ file: ours }))
      assert.deepStrictEqual(marks(ours), [0x50455453, migrations.at(-1)?.id])
      yield* Effect.scoped(openStore({ file: ours, tablePrefix: "shop_" }))
      assert.deepStrictEqual(marks(ours), [0x50455453, migrations.at(-1)?.id])
    })
  )

  it.effect(
    "when the host application has a table with a name that it needs, then opening fails and changes nothing",
    () =>
      Effect.gen(function* () {
        const db = yield* openDatabase(yield* temporaryFileInMemory)
        db.exec("CREATE TABLE shop_pets (id INTEGER PRIMARY KEY)")
        const opening = createPetstore({ storage: sqlite({ database: db, tablePrefix: "shop_" }) })
        const error = yield* Effect.promise(() => opening.then(() => undefined, String))
        assert.match(String(error), /table shop_pets already exists/)
        assert.strictEqual(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n, 1)
      })
  )

  it("when it is invalid, then the error shows which prefixes are valid", () => {
    for (const tablePrefix of [
      "",
      "Shop_",
      "1_",
      "_a",
      "shop-",
      "sqlite_",
      "sqlite_a",
      "a b",
      "é",
      "a".repeat(31),
      5,
      null
    ]) {
      assert.throws(
        () => sqlite({ file: "petstore.db", tablePrefix: untyped(tablePrefix) }),
        TypeError,
        /tablePrefix takes up to 30 lower-case letters/
      )
    }
    for (const tablePrefix of ["a", "shop_", "petstore_", "sqlite", "x9_", "a".repeat(30)]) {
      assert.strictEqual(sqlite({ file: "petstore.db", tablePrefix }).name, "sqlite")
    }
  })
})
