import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type PetstoreOptions } from "@petstore/core"
import * as Effect from "effect/Effect"
import { openDatabase } from "../../../test/support/host.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { type SqliteOptions, sqlite } from "../index.ts"

const opened = (options: SqliteOptions, search?: PetstoreOptions["search"]) =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => createPetstore({ storage: sqlite(options), search }), catch: (error) => error }),
    (petstore) => Effect.promise(() => petstore.close())
  )

type Opened = Effect.Success<ReturnType<typeof opened>>

const used = <A>(options: SqliteOptions, search: PetstoreOptions["search"], use: (petstore: Opened) => Promise<A>) =>
  Effect.scoped(
    Effect.flatMap(opened(options, search), (petstore) =>
      Effect.tryPromise({ try: () => use(petstore), catch: (error) => error })
    )
  )

/** A file with these pets, of a petstore without the option. */
const shop = (...names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const file = yield* temporaryFileInMemory
    yield* used({ file }, undefined, async (petstore) => {
      const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
      await petstore.pets.createAll(names.map((name) => ({ name, categoryId })))
    })
    return file
  })

const namesOf = (petstore: Opened, search: string) =>
  petstore.pets.list({ search }).then(({ items }) => items.map(({ name }) => name))

const found = (file: string, search: string) => used({ file }, "words", (petstore) => namesOf(petstore, search))

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

/** What `verify` says of words. */
const problems = (file: string) =>
  used({ file }, undefined, async (petstore) =>
    (await petstore.verify()).checks.flatMap(({ examples }) => examples.map((one) => JSON.stringify(one)))
  )

describe("given a file without the index of words", () => {
  it.effect("when nobody asks for it, then there is none, and a search names the option", () =>
    Effect.gen(function* () {
      const file = yield* shop("Zoë")
      assert.strictEqual(partsIn(file), 0)
      const refused = yield* Effect.flip(used({ file }, undefined, (petstore) => namesOf(petstore, "zoe")))
      assert.match(JSON.stringify(refused), /option search: .*petstore serve --search words/)
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

  it.effect("when it may not be migrated, then opening it for searches says what to do", () =>
    Effect.gen(function* () {
      const file = yield* shop("Zoë")
      const refused = yield* Effect.flip(Effect.scoped(opened({ file, migrate: false }, "words")))
      assert.match(String(refused), /has no index of words.*migrate: true/)
      yield* found(file, "zoe")
      yield* Effect.scoped(opened({ file, migrate: false }, "words"))
    })
  )
})

describe("given a file with the index of words", () => {
  it.effect(
    "when petstores without the option write to it, alone and beside others, then searches find all of it",
    () =>
      Effect.gen(function* () {
        const file = yield* shop("Zoë", "Rex", "Max")
        const searching = yield* opened({ file, migrate: true }, "words")
        yield* used({ file }, undefined, async (petstore) => {
          await petstore.pets.update(2, { name: "Zoé Rex" })
          await petstore.pets.delete(1)
        })
        assert.deepStrictEqual(yield* Effect.promise(() => namesOf(searching, "zoe")), ["Zoé Rex"])
        yield* Effect.promise(() => searching.close())
        yield* used({ file }, undefined, (petstore) => petstore.pets.create({ name: "Zoe", categoryId: 1 }))
        assert.deepStrictEqual(yield* found(file, "zoe"), ["Zoé Rex", "Zoe"])
        assert.deepStrictEqual(yield* problems(file), [])
      })
  )

  it.effect("when a transaction of the host application ends, then searches find what it has committed alone", () =>
    Effect.gen(function* () {
      const file = yield* shop("Rex")
      const petstore = yield* opened({ file }, "words")
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

  it.effect("when a part of what keeps it is gone, then verify says so, and the next opening builds it again", () =>
    Effect.gen(function* () {
      for (const part of ["TRIGGER petstore_pets_words_added", "TRIGGER petstore_pets_words_changed"]) {
        const file = yield* shop("Zoë")
        yield* found(file, "zoe")
        alter(file, `DROP ${part}`)
        yield* used({ file }, undefined, async (petstore) => {
          await petstore.pets.update(1, { name: "Max" })
          await petstore.pets.create({ name: "Zoe", categoryId: 1 })
        })
        assert.match((yield* problems(file)).join(), /what keeps the index of words is missing in part/)
        assert.deepStrictEqual(yield* found(file, "zoe"), ["Zoe"])
        assert.deepStrictEqual(yield* problems(file), [])
      }
    })
  )

  it.effect("when it does not have what the pets have, then verify says what to do, which mends it", () =>
    Effect.gen(function* () {
      for (const damage of [
        "DELETE FROM petstore_pets_words WHERE rowid = 1",
        "INSERT INTO petstore_pets_words (rowid, found) VALUES (9, 'ghost')",
        "DELETE FROM petstore_pets_words WHERE rowid = 2; INSERT INTO petstore_pets_words (rowid, found) VALUES (2, 'rex')"
      ]) {
        const file = yield* shop("Zoë", "Max")
        yield* found(file, "zoe")
        alter(file, damage)
        const problem = (yield* problems(file)).join()
        const trigger = /index of words does not have the names of 1 pets: drop the trigger (\w+)/.exec(problem)?.[1]
        alter(file, `DROP TRIGGER ${trigger}`)
        assert.deepStrictEqual(yield* found(file, "max"), ["Max"])
        assert.deepStrictEqual(yield* problems(file), [])
      }
    })
  )

  it.effect("when words of a pet are not those of its name, then verify names the pet", () =>
    Effect.gen(function* () {
      const file = yield* shop("Zoë")
      yield* found(file, "zoe")
      for (const words of ["'max'", "NULL"]) {
        alter(file, `UPDATE petstore_pets SET words = ${words}`)
        assert.match((yield* problems(file)).join(), /the words of pet 1 are not those of its name/)
      }
      yield* used({ file }, undefined, async ({ pets }) => {
        await pets.update(1, { name: "Max" })
        await pets.update(1, { name: "Zoë" })
      })
      assert.deepStrictEqual(yield* problems(file), [])
      assert.deepStrictEqual(yield* found(file, "zoe"), ["Zoë"])
    })
  )
})
