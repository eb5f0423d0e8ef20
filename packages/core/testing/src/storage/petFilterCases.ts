import { limits, type PetStatus, StockRules } from "@petstore/core/domain"
import { compareValues } from "@petstore/core/engine"
import { type PetQuery, type PetRecord, petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addPet, givenCategory, oneUnit } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const stocks = {
  available: oneUnit,
  pending: { onHand: 2, reserved: 2, held: false },
  sold: { onHand: 0, reserved: 0, held: false }
} as const

/** The names of the pets in a list, in its order. */
const names = (store: TestedStore, query: Partial<PetQuery>, limit = 100) =>
  Effect.map(store.select(petsBy, { after: 0, ...query }, limit), (pets) => pets.map(({ name }) => name))

/** Adds pets of these names in one transaction, in this order. */
const givenNames = (store: TestedStore, all: ReadonlyArray<string>) =>
  Effect.flatMap(givenCategory(store), (categoryId) =>
    store.transact(Effect.forEach(all, (name) => addPet(store, categoryId, { name })))
  )

/** Where the page after the one with this last pet begins. */
const behind = (last: PetRecord | undefined): Pick<PetQuery, "after" | "afterName"> =>
  last === undefined ? { after: limits.id, afterName: "~" } : { after: last.id, afterName: last.name }

/** Every pet of a list, read page by page. */
const paged = (store: TestedStore, query: Partial<PetQuery>, limit: number) =>
  Effect.gen(function* () {
    const pets: Array<PetRecord> = []
    for (let place: Partial<PetQuery> & { readonly after: number } = { after: 0 }; ; place = behind(pets.at(-1))) {
      const page = yield* store.select(petsBy, { ...query, ...place }, limit)
      pets.push(...page)
      if (page.length < limit) return pets
    }
  })

const statuses: ReadonlyArray<PetStatus> = ["available", "pending", "sold"]

/** Pets of every status in two categories, three each. */
const givenMixture = (store: TestedStore) =>
  Effect.gen(function* () {
    const categories = [yield* givenCategory(store, "Dogs"), yield* givenCategory(store, "Cats")]
    yield* store.transact(
      Effect.forEach(
        [1, 2, 3].flatMap((n) =>
          categories.flatMap((categoryId) => statuses.map((status) => ({ n, categoryId, status })))
        ),
        ({ n, categoryId, status }) =>
          addPet(store, categoryId, { name: `${n === 2 ? "Max" : "Rex"} ${n}`, stock: stocks[status] }),
        { discard: true }
      )
    )
    return categories
  })

export const petFilterCases = storageCases("storage: lists of pets", {
  "a list by status changes with the status of the pets": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const id = yield* store.transact(addPet(store, categoryId))
      const pet = yield* store.pets.find(id)
      if (pet === undefined) return yield* Effect.die(new Error("The pet is gone"))
      const steps = [stocks.pending, { onHand: 1, reserved: 0, held: true }, stocks.sold, { ...oneUnit, onHand: 9 }]
      for (const stock of steps) {
        yield* store.transact(store.pets.save({ ...pet, stock }))
        for (const status of statuses) {
          const expected = status === StockRules.statusOf(stock) ? ["Rex"] : []
          assertEqual(yield* names(store, { status }), expected, `who is ${status} with ${JSON.stringify(stock)}`)
        }
      }
    }),

  "a list by category has its pets that are not deleted, and changes when a pet moves": (store) =>
    Effect.gen(function* () {
      const [dogs = 0, cats = 0] = yield* givenMixture(store)
      assertEqual((yield* names(store, { categoryId: dogs })).length, 9)
      const [moved] = yield* store.select(petsBy, { categoryId: dogs, after: 0 }, 1)
      if (moved !== undefined) yield* store.transact(store.pets.save({ ...moved, categoryId: cats }))
      assertEqual((yield* names(store, { categoryId: dogs })).length, 8)
      assertEqual((yield* names(store, { categoryId: cats })).length, 10)
      assertEqual(yield* names(store, { categoryId: 99 }), [])
    }),

  "a name prefix is case-sensitive, and the whole name is a prefix": (store) =>
    Effect.gen(function* () {
      yield* givenNames(store, ["Rex", "rex", "REX", "Rexine", "T-Rex"])
      assertEqual(yield* names(store, { name: "Re" }), ["Rex", "Rexine"])
      assertEqual(yield* names(store, { name: "rex" }), ["rex"])
      assertEqual(yield* names(store, { name: "Rexine" }), ["Rexine"])
      assertEqual(yield* names(store, { name: "Rexines" }), [])
    }),

  "an empty name prefix lists all pets by name": (store) =>
    Effect.gen(function* () {
      yield* givenNames(store, ["Zoe", "Ben"])
      assertEqual(yield* names(store, { name: "" }), ["Ben", "Zoe"])
    }),

  "a prefix is text, not a pattern": (store) =>
    Effect.gen(function* () {
      const odd = ["100% dog", "100 dogs", "a_b", "axb", "a*b", "a?b", "[ab]", "a\\b", "a'b", 'a"b', "a--b", "a.b"]
      yield* givenNames(store, odd)
      for (const prefix of ["100%", "a_", "a*", "a?", "[a", "a\\", "a'", 'a"', "a-", "a."]) {
        const expected = odd.filter((name) => name.startsWith(prefix)).sort(compareValues)
        assertEqual(yield* names(store, { name: prefix }), expected, `who starts with ${prefix}`)
      }
      assertEqual(yield* names(store, { name: "%" }), [])
      assertEqual(yield* names(store, { name: "_" }), [])
    }),

  "a prefix can be in any script, and the names are ordered by code points": (store) =>
    Effect.gen(function* () {
      const odd = [
        "a",
        "aa",
        "aé",
        "aя",
        "a犬",
        "a\uffee",
        "a🐶",
        "a🐶🐶",
        "a\u{10ffff}",
        "b",
        "é",
        "éa",
        "🐶",
        "🐶a",
        "犬"
      ]
      yield* givenNames(store, odd)
      for (const prefix of ["a", "é", "🐶", "a🐶", "a🐶🐶", "犬", "a\uffee", "a\u{10ffff}", "\u{10ffff}"]) {
        const expected = odd.filter((name) => name.startsWith(prefix)).sort(compareValues)
        assertEqual(yield* names(store, { name: prefix }), expected, `who starts with ${prefix}`)
      }
    }),

  "a renamed pet is found by its new name only": (store) =>
    Effect.gen(function* () {
      const [id = 0] = yield* givenNames(store, ["Rex", "Rexine"])
      const pet = yield* store.pets.find(id)
      if (pet !== undefined) yield* store.transact(store.pets.save({ ...pet, name: "Bello" }))
      assertEqual(yield* names(store, { name: "Rex" }), ["Rexine"])
      assertEqual(yield* names(store, { name: "Be" }), ["Bello"])
    }),

  "a list by name is in the order of names and then ids, in pages of any size": (store) =>
    Effect.gen(function* () {
      const many = Array.from({ length: 120 }, (_, index) => `${index % 3 === 0 ? "Max" : "Rex"} ${(index * 7) % 40}`)
      yield* givenNames(store, many)
      const all = yield* store.select(petsBy, { name: "Max", after: 0 }, 1_000)
      const order = (a: PetRecord, b: PetRecord) => compareValues(a.name, b.name) || a.id - b.id
      assertEqual(all.length, 40)
      assertEqual(all, [...all].sort(order))
      for (const limit of [1, 7, 40])
        assertEqual(yield* paged(store, { name: "Max" }, limit), all, `in pages of ${limit}`)
    }),

  "pets of one name are listed in ascending id, in pages of any size": (store) =>
    Effect.gen(function* () {
      const ids = yield* givenNames(
        store,
        Array.from({ length: 30 }, () => "Rex")
      )
      for (const query of [
        { name: "R" },
        { name: "Rex" },
        { name: "R", status: "available", categoryId: 1 } as const
      ]) {
        const found = yield* paged(store, query, 7)
        assertEqual(
          found.map(({ id }) => id),
          ids,
          `the list for ${JSON.stringify(query)}`
        )
      }
    }),

  "a page by name continues after its position, even if the pet there was renamed": (store) =>
    Effect.gen(function* () {
      const [amy = 0] = yield* givenNames(store, ["Amy", "Bea", "Bob", "Cid"])
      const pet = yield* store.pets.find(amy)
      if (pet !== undefined) yield* store.transact(store.pets.save({ ...pet, name: "Zoe" }))
      assertEqual(yield* names(store, { name: "", after: amy, afterName: "Amy" }), ["Bea", "Bob", "Cid", "Zoe"])
      assertEqual(yield* names(store, { name: "B", after: limits.id, afterName: "Bea" }), ["Bob"])
    }),

  "paging neither skips nor repeats a pet while others are added": (store) =>
    Effect.gen(function* () {
      const there = yield* givenNames(
        store,
        Array.from({ length: 40 }, (_, index) => `Rex ${index}`)
      )
      const add = Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) => Effect.andThen(store.transact(addPet(store, 1, { name: `New ${index}` })), Effect.yieldNow),
        { discard: true }
      )
      const seen: Array<number> = []
      const read = Effect.gen(function* () {
        for (let after = 0; ; ) {
          const page: ReadonlyArray<PetRecord> = yield* store.select(petsBy, { after }, 3)
          seen.push(...page.map(({ id }) => id))
          const last = page.at(-1)
          if (last === undefined) break
          after = last.id
          yield* Effect.yieldNow
        }
      })
      yield* Effect.all([add, read], { concurrency: "unbounded" })
      assertEqual(seen.length, new Set(seen).size, "how many ids were seen")
      assertEqual(
        seen,
        [...seen].sort((a, b) => a - b),
        "the ids seen"
      )
      assertEqual(
        there.filter((id) => !seen.includes(id)),
        [],
        "the ids that were skipped"
      )
    })
})
