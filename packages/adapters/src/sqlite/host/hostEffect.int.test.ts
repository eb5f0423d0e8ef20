import { assert, describe, it } from "@effect/vitest"
import { kysely } from "@petstore/adapters/kysely"
import { Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { openDatabase } from "../../../test/support/host.ts"
import { createTogether, type HostedPetstore, hostEffectCases, namesOf } from "../../../test/support/hostEffectCases.ts"
import { openKysely } from "../../../test/support/libraries.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

const inShop = <E>(body: (hosted: HostedPetstore) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const db = yield* openDatabase(yield* temporaryFileInMemory)
    yield* Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* body({ petstore, transaction: db, run: (sql) => Effect.sync(() => db.exec(sql)) })
      assert.isTrue((yield* petstore.verify).ok)
    }).pipe(Effect.provide(Petstore.layer(sqlite({ database: db }))))
  })

describe("given the petstore of Effect on SQLite", () => hostEffectCases(inShop))

describe("given a body in a transaction of a library whose commands run at the same time", () => {
  const joined = <A, E>(body: (petstore: Petstore["Service"]) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const db = yield* openDatabase(file)
      return yield* Effect.gen(function* () {
        const petstore = yield* Petstore
        const within = openKysely(db)
        const result = yield* Effect.promise(() =>
          within.transaction().execute((trx) => Effect.runPromise(petstore.within(kysely(trx))(body(petstore))))
        )
        assert.isTrue((yield* petstore.verify).ok)
        return { result, names: yield* namesOf(petstore) }
      }).pipe(Effect.provide(Petstore.layer(sqlite(file))))
    })

  it.effect("when some are rejected, then only those have no effect", () =>
    Effect.gen(function* () {
      const { result, names } = yield* joined(createTogether)
      assert.deepStrictEqual(result, [true, false, true, false, true])
      assert.deepStrictEqual(names, ["Cats", "Dogs", "Birds"])
    })
  )

  it.effect("when the body ends before one that it began, then that one takes effect completely", () =>
    Effect.gen(function* () {
      const { result, names } = yield* joined(({ categories }) =>
        Effect.forkDetach(categories.create({ name: "Cats" }), { startImmediately: true })
      )
      const cats = yield* Fiber.join(result)
      assert.deepStrictEqual(names, [cats.name])
    })
  )
})
