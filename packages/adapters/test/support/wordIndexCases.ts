import { assert, it } from "@effect/vitest"
import { createPetstore, type Petstore, type StorageAdapter } from "@petstore/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

type Work<A> = Effect.Effect<A, unknown, Scope.Scope>

/** The databases of an engine, each at a place: a path or a URL. */
interface WordIndexEngine {
  readonly newPlace: Work<string>
  readonly storage: (place: string, migrates?: boolean) => StorageAdapter
  /** Changes a database behind the petstore's back. */
  readonly alter: (place: string, sql: string) => Work<unknown>
  /** The name of a table in SQL. */
  readonly table: (name: string) => string
  readonly dropTrigger: (name: string) => string
}

/** Shops whose pets are searched for by words, on an engine, and the tests of their index that hold for every engine. */
export const wordIndexes = ({ alter, dropTrigger, newPlace, storage, table }: WordIndexEngine) => {
  const opened = (place: string, search?: "words", migrates?: boolean) =>
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => createPetstore({ storage: storage(place, migrates), search }),
        catch: (error) => error
      }),
      (petstore) => Effect.promise(() => petstore.close())
    )

  const used = <A>(place: string, search: "words" | undefined, use: (petstore: Petstore) => Promise<A>) =>
    Effect.scoped(
      Effect.flatMap(opened(place, search), (petstore) =>
        Effect.tryPromise({ try: () => use(petstore), catch: (error) => error })
      )
    )

  const namesOf = (petstore: Petstore, search: string) =>
    petstore.pets.list({ search }).then(({ items }) => items.map(({ name }) => name))

  const found = (place: string, search: string) => used(place, "words", (petstore) => namesOf(petstore, search))

  /** What `verify` reports. */
  const problems = (place: string) =>
    used(place, undefined, async (petstore) =>
      (await petstore.verify()).checks.flatMap(({ examples }) => examples.map((one) => JSON.stringify(one)))
    )

  /** A database with these pets, of a petstore without the option. */
  const shop = (...names: ReadonlyArray<string>) =>
    Effect.tap(newPlace, (place) =>
      used(place, undefined, async (petstore) => {
        const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
        await petstore.pets.createAll(names.map((name) => ({ name, categoryId })))
      })
    )

  const [pets, words] = [table("petstore_pets"), table("petstore_pets_words")]

  /** What holds without an index. */
  const casesWithout = (): void => {
    it.effect("when nobody asks for it, then a search names the option", () =>
      Effect.gen(function* () {
        const place = yield* shop("Zoë")
        const refused = yield* Effect.flip(used(place, undefined, (petstore) => namesOf(petstore, "zoe")))
        assert.match(JSON.stringify(refused), /option search: .*petstore serve --search words/)
      })
    )

    it.effect("when it may not be migrated, then opening it for searches says what to do", () =>
      Effect.gen(function* () {
        const place = yield* shop("Zoë")
        const refused = yield* Effect.flip(Effect.scoped(opened(place, "words", false)))
        assert.match(String(refused), /has no index of words.*migrate: true/)
        yield* found(place, "zoe")
        yield* Effect.scoped(opened(place, "words", false))
      })
    )
  }

  /** What holds with an index. */
  const casesWith = (): void => {
    it.effect(
      "when petstores without the option write to it, alone and beside others, then searches find all of it",
      () =>
        Effect.gen(function* () {
          const place = yield* shop("Zoë", "Rex", "Max")
          const searching = yield* opened(place, "words")
          yield* used(place, undefined, async (petstore) => {
            await petstore.pets.update(2, { name: "Zoé Rex" })
            await petstore.pets.delete(1)
          })
          assert.deepStrictEqual(yield* Effect.promise(() => namesOf(searching, "zoe")), ["Zoé Rex"])
          yield* Effect.promise(() => searching.close())
          yield* used(place, undefined, (petstore) => petstore.pets.create({ name: "Zoe", categoryId: 1 }))
          assert.deepStrictEqual(yield* found(place, "zoe"), ["Zoé Rex", "Zoe"])
          assert.deepStrictEqual(yield* problems(place), [])
        })
    )

    it.effect("when a part of what keeps it is gone, then verify says so, and the next opening builds it again", () =>
      Effect.gen(function* () {
        for (const trigger of ["petstore_pets_words_added", "petstore_pets_words_changed"]) {
          const place = yield* shop("Zoë")
          yield* found(place, "zoe")
          yield* alter(place, dropTrigger(trigger))
          yield* used(place, undefined, async (petstore) => {
            await petstore.pets.update(1, { name: "Max" })
            await petstore.pets.create({ name: "Zoe", categoryId: 1 })
          })
          assert.match((yield* problems(place)).join(), /what keeps the index of words is missing in part/)
          assert.deepStrictEqual(yield* found(place, "zoe"), ["Zoe"])
          assert.deepStrictEqual(yield* problems(place), [])
        }
      })
    )

    it.effect("when it does not have what the pets have, then verify says what to do, which mends it", () =>
      Effect.gen(function* () {
        for (const damage of [
          `DELETE FROM ${words} WHERE rowid = 1`,
          `INSERT INTO ${words} (rowid, found) VALUES (9, 'ghost')`,
          `DELETE FROM ${words} WHERE rowid = 2; INSERT INTO ${words} (rowid, found) VALUES (2, 'rex')`
        ]) {
          const place = yield* shop("Zoë", "Max")
          yield* found(place, "zoe")
          yield* alter(place, damage)
          const problem = (yield* problems(place)).join()
          const trigger = /index of words does not have the names of 1 pets: drop the trigger (\w+)/.exec(problem)?.[1]
          yield* alter(place, dropTrigger(String(trigger)))
          assert.deepStrictEqual(yield* found(place, "max"), ["Max"])
          assert.deepStrictEqual(yield* problems(place), [])
        }
      })
    )

    it.effect("when words of a pet are not those of its name, then verify names the pet", () =>
      Effect.gen(function* () {
        const place = yield* shop("Zoë")
        yield* found(place, "zoe")
        for (const wrong of ["'max'", "NULL"]) {
          yield* alter(place, `UPDATE ${pets} SET words = ${wrong}`)
          assert.match((yield* problems(place)).join(), /the words of pet 1 are not those of its name/)
        }
        yield* used(place, undefined, async ({ pets }) => {
          await pets.update(1, { name: "Max" })
          await pets.update(1, { name: "Zoë" })
        })
        assert.deepStrictEqual(yield* problems(place), [])
        assert.deepStrictEqual(yield* found(place, "zoe"), ["Zoë"])
      })
    )
  }

  return { casesWith, casesWithout, found, namesOf, opened, problems, shop }
}
