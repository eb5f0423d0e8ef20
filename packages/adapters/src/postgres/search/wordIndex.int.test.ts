import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { wordIndexes } from "../../../test/support/wordIndexCases.ts"
import { postgres } from "../index.ts"

const altered = (url: string, sql: string) => Effect.promise(() => query(url, sql))

const { casesWith, casesWithout, found, namesOf, opened, problems, shop } = wordIndexes({
  newPlace: testDatabase,
  storage: (url, migrate = true) => postgres({ url, migrate }),
  alter: altered,
  table: (name) => `petstore.${name}`,
  dropTrigger: (name) => `DROP TRIGGER ${name} ON petstore.petstore_pets`
})

describe("given a database without the index of words", () => {
  casesWithout()

  it.effect("when several petstores open it for searches at once, while others write, then each finds all pets", () =>
    Effect.gen(function* () {
      const url = yield* shop(...Array.from({ length: 900 }, (_, n) => `Zoë ${n}`), "Rex")
      yield* altered(url, "UPDATE petstore.petstore_pets SET words = NULL WHERE id < 500")
      // More than one step of the index.
      yield* altered(
        url,
        `INSERT INTO petstore.petstore_pets (name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, created_at, updated_at, deleted)
          SELECT 'Ant ' || n, 1, 'sold', 1, 0, 0, false, 1, 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', n % 2 = 0
          FROM generate_series(1, 12000) AS n`
      )
      const writer = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: postgres({ url, lockTimeout: "1 minute" }) })),
        (petstore) => Effect.promise(() => petstore.close())
      )
      let isWriting = true
      const written: Array<string> = []
      const writing = Effect.promise(async () => {
        for (let n = 0; isWriting; n++) {
          await writer.pets.update((n % 900) + 1, { name: `Zoé new ${n}` })
          await writer.pets.create({ name: `Zoe late ${n}`, categoryId: 1 })
          written.push(`Zoe late ${n}`)
        }
      })
      const searching = Effect.gen(function* () {
        const petstores = yield* Effect.all(
          Array.from({ length: 3 }, () => opened(url, "words")),
          { concurrency: 3 }
        )
        isWriting = false
        return petstores
      })
      const [petstores] = yield* Effect.all([searching, writing], { concurrency: 2 })
      for (const petstore of petstores) {
        const totals = yield* Effect.promise(() =>
          Promise.all(["zoe", "ant", "rex"].map((search) => petstore.pets.list({ search, count: true, limit: 1 })))
        )
        assert.deepStrictEqual(
          totals.map(({ total }) => total?.count),
          [900 + written.length, 6_000, 1]
        )
      }
      assert.notMatch((yield* problems(url)).join(), /words/)
    })
  )
})

/** Pets by these ids, which the triggers index. */
const insertPets = (url: string, ids: string, name: string) =>
  altered(
    url,
    `INSERT INTO petstore.petstore_pets (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, created_at, updated_at, deleted)
      OVERRIDING SYSTEM VALUE
      SELECT id, ${name}, 1, 'sold', 1, 0, 0, false, 1, 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', false FROM ${ids} AS id`
  )

describe("given a database with the index of words", () => {
  casesWith()

  it.effect(
    "when ids are in blocks of every width, then pages in both directions have all pets, by short words and long",
    () =>
      Effect.gen(function* () {
        const url = yield* shop("Rex")
        yield* found(url, "rex")
        const ids = [1_023, 1_024, 2_047, 8_191, 8_192, 65_535, 65_536, 70_000, 131_071, 131_072, 196_608, 300_000]
        for (let id = 350_000; id < 2_000_000; id += 90_000) ids.push(id)
        // Behind more ids without pets than could be gone through.
        ids.push(2 ** 40 - 1, 2 ** 40, Number.MAX_SAFE_INTEGER)
        yield* insertPets(url, `unnest(ARRAY[${ids}])`, "'Rex Donaudampfschifffahrt ' || id")
        const petstore = yield* opened(url, "words")
        for (const search of ["re", "donaudampfschifff", "donaudampfschifffahrt rex"]) {
          const expected = search === "re" ? [1, ...ids] : ids
          for (const sort of ["id", "-id"] as const) {
            for (const limit of [1, 5, 100]) {
              const pages = yield* Effect.promise(async () => {
                const all: Array<number> = []
                for await (const { id } of petstore.pets.all({ search, sort, limit })) all.push(id)
                return all
              })
              assert.deepStrictEqual(
                pages,
                sort === "id" ? expected : expected.toReversed(),
                `${search} ${sort} ${limit}`
              )
            }
          }
        }
        assert.notMatch((yield* problems(url)).join(), /index of words/)
      })
  )

  it.effect("when all pets have a word, then a page of them takes as long as one of the word of a few", () =>
    Effect.gen(function* () {
      const url = yield* shop("Rex")
      yield* found(url, "rex")
      yield* insertPets(url, "generate_series(2, 30000)", "'Rex ' || CASE WHEN id % 600 = 0 THEN 'few' ELSE 'many' END")
      yield* altered(url, "ANALYZE petstore.petstore_pets, petstore.petstore_pets_words")
      const petstore = yield* opened(url, "words")
      const fastest = async (search: string) => {
        let least = Number.POSITIVE_INFINITY
        for (let round = 0; round < 20; round++) {
          const start = performance.now()
          const { items } = await petstore.pets.list({ search, limit: 20 })
          assert.deepStrictEqual(
            items.map(({ id }) => id),
            Array.from({ length: 20 }, (_, at) => (search === "few" ? 600 * (at + 1) : at + 1))
          )
          least = Math.min(least, performance.now() - start)
        }
        return least
      }
      const [rex, few] = yield* Effect.promise(async () => [await fastest("rex"), await fastest("few")] as const)
      assert.isBelow(rex / few, 3)
    })
  )

  it.effect(
    "when another petstore builds it again, then searches fail until it is whole, instead of missing pets",
    () =>
      Effect.gen(function* () {
        const url = yield* shop("Rex")
        const petstore = yield* opened(url, "words")
        yield* altered(
          url,
          "TRUNCATE petstore.petstore_pets_words; INSERT INTO petstore.petstore_pets_words (rowid, found, built) VALUES (0, '', 0)"
        )
        for (const sort of ["id", "-id", "name"] as const) {
          const failed = yield* Effect.flip(Effect.tryPromise(() => petstore.pets.list({ search: "rex", sort })))
          assert.match(String(failed.cause), /StorageBusy/)
        }
        yield* found(url, "rex")
        assert.deepStrictEqual(yield* Effect.promise(() => namesOf(petstore, "rex")), ["Rex"])
      })
  )
})
