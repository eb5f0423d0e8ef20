import { assert, describe, it } from "@effect/vitest"
import { kysely } from "@petstore/adapters/kysely"
import { Petstore as EffectPetstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { openDatabase } from "../../../test/support/host.ts"
import { openKysely } from "../../../test/support/libraries.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

describe("given the petstore of Effect", () => {
  it.effect(
    "when commands run within a transaction of the host application, then each takes effect with it, or not at all",
    () =>
      Effect.gen(function* () {
        const db = yield* openDatabase(yield* temporaryFileInMemory)
        yield* Effect.gen(function* () {
          const { categories, pets, within } = yield* EffectPetstore
          const both = (name: string) =>
            Effect.gen(function* () {
              const { id: categoryId } = yield* categories.create({ name })
              yield* Effect.promise(() => Promise.resolve())
              return yield* pets.create({ name: name === "Cats" ? "Tom" : "", categoryId })
            })
          db.exec("BEGIN IMMEDIATE")
          yield* within(db)(both("Cats"))
          db.exec("COMMIT; BEGIN IMMEDIATE")
          const error = yield* Effect.flip(within(db)(both("Dogs")))
          assert.strictEqual(error._tag, "ValidationFailed")
          db.exec("ROLLBACK")
          assert.deepStrictEqual((yield* categories.list()).items, [{ id: 1, name: "Cats" }])
        }).pipe(Effect.provide(EffectPetstore.layer(sqlite({ database: db }))))
      })
  )
})

describe("given a body of Effect that runs once", () => {
  it.effect("when it is repeated in a later transaction, then it returns its first result without running again", () =>
    Effect.gen(function* () {
      const db = yield* openDatabase(yield* temporaryFileInMemory)
      yield* Effect.gen(function* () {
        const { categories, once, within } = yield* EffectPetstore
        const create = once(
          "cats",
          Effect.map(categories.create({ name: "Cats" }), ({ id }) => ({ id }))
        )
        const committed = Effect.suspend(() => {
          db.exec("BEGIN IMMEDIATE")
          return Effect.ensuring(
            within(db)(create),
            Effect.sync(() => db.exec("COMMIT"))
          )
        })
        const first = yield* committed
        assert.deepStrictEqual(yield* committed, first)
        assert.lengthOf((yield* categories.list()).items, 1)
        const apart = yield* Effect.exit(create)
        assert.match(String(apart), /once runs its body in a transaction of your app/)
      }).pipe(Effect.provide(EffectPetstore.layer(sqlite({ database: db }))))
    })
  )
})

describe("given a body in a transaction of a library whose commands run at the same time", () => {
  const joined = <A, E>(body: (petstore: EffectPetstore["Service"]) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const db = yield* openDatabase(file)
      return yield* Effect.gen(function* () {
        const petstore = yield* EffectPetstore
        const within = openKysely(db)
        const result = yield* Effect.promise(() =>
          within.transaction().execute((trx) => Effect.runPromise(petstore.within(kysely(trx))(body(petstore))))
        )
        const { items } = yield* petstore.categories.list()
        assert.isTrue((yield* petstore.verify).ok)
        return { result, names: items.map((category) => category.name) }
      }).pipe(Effect.provide(EffectPetstore.layer(sqlite(file))))
    })

  it.effect("when some are rejected, then only those have no effect", () =>
    Effect.gen(function* () {
      const { result, names } = yield* joined(({ categories }) =>
        Effect.forEach(
          ["Cats", "cats", "Dogs", "dogs", "Birds"],
          (name) => Effect.isSuccess(categories.create({ name })),
          { concurrency: "unbounded" }
        )
      )
      assert.deepStrictEqual(result, [true, false, true, false, true])
      assert.deepStrictEqual(names, ["Cats", "Dogs", "Birds"])
    })
  )

  it.effect("when the body ends before one that it began, then that one takes effect completely", () =>
    Effect.gen(function* () {
      const { result, names } = yield* joined(({ categories }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(categories.create({ name: "Cats" }), { startImmediately: true })
          return yield* Effect.succeed(fiber)
        })
      )
      const cats = yield* Fiber.join(result)
      assert.deepStrictEqual(names, [cats.name])
    })
  )
})
