import * as Effect from "effect/Effect"
import { same } from "../check.ts"
import { storageCases } from "./cases.ts"
import { isDuplicate } from "./outcomes.ts"
import { givenCategory, newCategory } from "./rows.ts"

export const categoryCases = storageCases("storage: categories", {
  "a category is found by its id and by its name as it was added": (store) =>
    Effect.gen(function* () {
      const added = newCategory("Dogs", "All that bark")
      const id = yield* store.transact(store.categories.insert(added))
      const expected = { ...added, category: { ...added.category, id }, deleted: false }
      same(yield* store.categories.find(id), expected)
      same(yield* store.categories.findByName("dogs"), expected)
      same(yield* store.transact(store.categories.lock(id)), expected)
      same(yield* store.transact(store.categories.lockShared(id)), expected)
    }),

  "a category that never was is not found, by id, by name or under lock": (store) =>
    Effect.gen(function* () {
      yield* givenCategory(store)
      same(yield* store.categories.find(99), undefined)
      same(yield* store.categories.findByName("cats"), undefined)
      same(yield* store.transact(store.categories.lock(99)), undefined)
      same(yield* store.transact(store.categories.lockShared(99)), undefined)
    }),

  "a description can be added to a category and taken away": (store) =>
    Effect.gen(function* () {
      const id = yield* givenCategory(store)
      const plain = { ...newCategory("Dogs"), category: { id, name: "Dogs" }, deleted: false }
      const described = { ...plain, category: { ...plain.category, description: "All that bark" }, version: 2 }
      yield* store.transact(store.categories.save(described))
      same(yield* store.categories.find(id), described)
      yield* store.transact(store.categories.save({ ...plain, version: 3 }))
      same(yield* store.categories.find(id), { ...plain, version: 3 })
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
      same((yield* store.categories.find(cats))?.category.name, "Cats")
      same((yield* store.categories.list(0, 10)).length, 2)
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
      same((yield* store.categories.find(cats))?.category.name, "Cats")
      yield* rename(dogs, "DOGS")
      same((yield* store.categories.findByName("dogs"))?.category, { id: dogs, name: "DOGS" })
    }),

  "a renamed category gives its old name free": (store) =>
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
      same(yield* store.categories.findByName("dogs"), undefined)
      const second = yield* givenCategory(store, "Dogs")
      same((yield* store.categories.findByName("dogs"))?.category.id, second)
    }),

  "a deleted category is found no more, gives its name free, and its id is not used again": (store) =>
    Effect.gen(function* () {
      const id = yield* givenCategory(store, "Dogs")
      const tombstone = { ...newCategory("Dogs"), category: { id, name: "Dogs" }, version: 2, deleted: true }
      yield* store.transact(store.categories.save(tombstone))
      same(yield* store.categories.find(id), undefined)
      same(yield* store.categories.findByName("dogs"), undefined)
      same(yield* store.transact(store.categories.lock(id)), undefined)
      same(yield* store.transact(store.categories.lockShared(id)), undefined)
      same(yield* store.categories.list(0, 10), [])
      const next = yield* givenCategory(store, "Dogs")
      same(next > id, true, "whether the next id is higher")
      same((yield* store.categories.findByName("dogs"))?.category.id, next)
      same((yield* store.categories.scan(0, 10))[0], tombstone)
    }),

  "two deleted categories may have had the same name": (store) =>
    Effect.gen(function* () {
      for (const _ of [1, 2]) {
        const id = yield* givenCategory(store, "Dogs")
        yield* store.transact(
          store.categories.save({ ...newCategory("Dogs"), category: { id, name: "Dogs" }, version: 2, deleted: true })
        )
      }
      same(
        (yield* store.categories.scan(0, 10)).map(({ nameKey, deleted }) => [nameKey, deleted]),
        [
          ["dogs", true],
          ["dogs", true]
        ]
      )
    }),

  "categories are listed in ascending id, above the one given, at most as many as asked for; a scan has the deleted too":
    (store) =>
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
        same(idsOf(yield* store.categories.list(0, 2)), [first, third])
        same(idsOf(yield* store.categories.list(third, 2)), [fourth])
        same(idsOf(yield* store.categories.list(fourth, 2)), [])
        same(idsOf(yield* store.categories.scan(first, 2)), [second, third])
      })
})
