import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { isDuplicate } from "./outcomes.ts"
import { givenCategory, newCategory } from "./rows.ts"

export const categoryCases = storageCases("storage: categories", {
  "a category is found by its id and by its name as it was added": (store) =>
    Effect.gen(function* () {
      const added = newCategory("Dogs", "All that bark")
      const id = yield* store.transact(store.categories.insert(added))
      const expected = { ...added, category: { ...added.category, id }, deleted: false }
      assertEqual(yield* store.categories.find(id), expected)
      assertEqual(yield* store.categories.findByName("dogs"), expected)
      assertEqual(yield* store.transact(store.categories.lock(id)), expected)
      assertEqual(yield* store.transact(store.categories.lockShared(id)), expected)
    }),

  "a category that does not exist is not found, by id, by name or with a lock": (store) =>
    Effect.gen(function* () {
      yield* givenCategory(store)
      assertEqual(yield* store.categories.find(99), undefined)
      assertEqual(yield* store.categories.findByName("cats"), undefined)
      assertEqual(yield* store.transact(store.categories.lock(99)), undefined)
      assertEqual(yield* store.transact(store.categories.lockShared(99)), undefined)
    }),

  "a description can be added to a category and removed": (store) =>
    Effect.gen(function* () {
      const id = yield* givenCategory(store)
      const plain = { ...newCategory("Dogs"), category: { id, name: "Dogs" }, deleted: false }
      const described = { ...plain, category: { ...plain.category, description: "All that bark" }, version: 2 }
      yield* store.transact(store.categories.save(described))
      assertEqual(yield* store.categories.find(id), described)
      yield* store.transact(store.categories.save({ ...plain, version: 3 }))
      assertEqual(yield* store.categories.find(id), { ...plain, version: 3 })
    }),

  "a second live category of the same name is a duplicate, and the transaction goes on": (store) =>
    Effect.gen(function* () {
      yield* givenCategory(store, "Dogs")
      const [refused, cats] = yield* store.transact(
        Effect.all([
          Effect.exit(store.categories.insert(newCategory("DOGS"))),
          store.categories.insert(newCategory("Cats"))
        ])
      )
      isDuplicate(refused, "dogs")
      assertEqual((yield* store.categories.find(cats))?.category.name, "Cats")
      assertEqual((yield* store.categories.list(0, 10)).length, 2)
    }),

  "a category cannot be renamed to another's name, but keeps its own in any case of letters": (store) =>
    Effect.gen(function* () {
      const dogs = yield* givenCategory(store, "Dogs")
      const cats = yield* givenCategory(store, "Cats")
      const rename = (id: number, name: string) =>
        store.transact(
          store.categories.save({ ...newCategory(name), category: { id, name }, version: 2, deleted: false })
        )
      isDuplicate(yield* Effect.exit(rename(cats, "dogs")), "dogs")
      assertEqual((yield* store.categories.find(cats))?.category.name, "Cats")
      yield* rename(dogs, "DOGS")
      assertEqual((yield* store.categories.findByName("dogs"))?.category, { id: dogs, name: "DOGS" })
    }),

  "the old name of a renamed category is available again": (store) =>
    Effect.gen(function* () {
      const id = yield* givenCategory(store, "Dogs")
      yield* store.transact(
        store.categories.save({
          ...newCategory("Hounds"),
          category: { id, name: "Hounds" },
          version: 2,
          deleted: false
        })
      )
      assertEqual(yield* store.categories.findByName("dogs"), undefined)
      const second = yield* givenCategory(store, "Dogs")
      assertEqual((yield* store.categories.findByName("dogs"))?.category.id, second)
    }),

  "a deleted category is not found, its name is available again, and its id is never reused": (store) =>
    Effect.gen(function* () {
      const id = yield* givenCategory(store, "Dogs")
      const tombstone = { ...newCategory("Dogs"), category: { id, name: "Dogs" }, version: 2, deleted: true }
      yield* store.transact(store.categories.save(tombstone))
      assertEqual(yield* store.categories.find(id), undefined)
      assertEqual(yield* store.categories.findByName("dogs"), undefined)
      assertEqual(yield* store.transact(store.categories.lock(id)), undefined)
      assertEqual(yield* store.transact(store.categories.lockShared(id)), undefined)
      assertEqual(yield* store.categories.list(0, 10), [])
      const next = yield* givenCategory(store, "Dogs")
      assertEqual(next > id, true, "whether the next id is higher")
      assertEqual((yield* store.categories.findByName("dogs"))?.category.id, next)
      assertEqual((yield* store.categories.scan(0, 10))[0], tombstone)
    }),

  "two deleted categories may have had the same name": (store) =>
    Effect.gen(function* () {
      for (const _ of [1, 2]) {
        const id = yield* givenCategory(store, "Dogs")
        yield* store.transact(
          store.categories.save({ ...newCategory("Dogs"), category: { id, name: "Dogs" }, version: 2, deleted: true })
        )
      }
      assertEqual(
        (yield* store.categories.scan(0, 10)).map(({ nameKey, deleted }) => [nameKey, deleted]),
        [
          ["dogs", true],
          ["dogs", true]
        ]
      )
    }),

  "categories are listed in ascending id, after the given one and up to the limit; a scan includes deleted ones": (
    store
  ) =>
    Effect.gen(function* () {
      const ids = []
      for (const name of ["Zebras", "Ants", "Mice", "Bees"]) ids.push(yield* givenCategory(store, name))
      const [first = 0, second = 0, third = 0, fourth = 0] = ids
      yield* store.transact(
        store.categories.save({
          ...newCategory("Ants"),
          category: { id: second, name: "Ants" },
          version: 2,
          deleted: true
        })
      )
      const idsOf = (records: ReadonlyArray<{ readonly category: { readonly id: number } }>) =>
        records.map(({ category }) => category.id)
      assertEqual(idsOf(yield* store.categories.list(0, 2)), [first, third])
      assertEqual(idsOf(yield* store.categories.list(third, 2)), [fourth])
      assertEqual(idsOf(yield* store.categories.list(fourth, 2)), [])
      assertEqual(idsOf(yield* store.categories.scan(first, 2)), [second, third])
    })
})
