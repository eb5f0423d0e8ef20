import { compareCodePoints, comparePets } from "@petstore/core/adapter-toolkit"
import { limits, type PetStatus, StockRules } from "@petstore/core/domain"
import type { PetQuery, PetRecord } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addPet, givenCategory, newMovement, oneUnit } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const stocks = {
  available: oneUnit,
  pending: { onHand: 2, reserved: 2, held: false },
  sold: { onHand: 0, reserved: 0, held: false }
} as const

const toShown = ({ categoryId, id, name, stock }: PetRecord) => ({
  id,
  name,
  categoryId,
  status: StockRules.statusOf(stock)
})

/** Lists pets, and checks that they are shown to callers as they are. */
const listPets = (store: Store, query: PetQuery) =>
  Effect.gen(function* () {
    const pets = yield* store.pets.list(query)
    const shown = yield* store.pets.listShown?.(query) ?? Effect.succeed(undefined)
    if (shown !== undefined) assertEqual(shown, pets.map(toShown), `the pets shown for ${JSON.stringify(query)}`)
    const { after, limit, status, ...others } = query
    if (status !== undefined && Object.keys(others).length === 0) {
      const ids = yield* store.pets.listIds?.({ status, after, limit }) ?? Effect.succeed(undefined)
      const found = pets.map(({ id }) => id)
      if (ids !== undefined) assertEqual(ids, found, `the ids for ${JSON.stringify(query)}`)
    }
    const [first] = pets
    const found = first === undefined ? undefined : yield* store.pets.findShown?.(first.id) ?? Effect.succeed(undefined)
    if (first !== undefined && found !== undefined)
      assertEqual(found, { ...toShown(first), version: first.version }, `the pet ${first.id} as it is shown`)
    return pets
  })

/** The names of the pets in a list, in its order. */
const names = (store: Store, query: Partial<PetQuery>) =>
  Effect.map(listPets(store, { after: 0, limit: 100, ...query }), (pets) => pets.map(({ name }) => name))

/** Adds pets of these names in one transaction, in this order. */
const givenNames = (store: Store, all: ReadonlyArray<string>) =>
  Effect.flatMap(givenCategory(store), (categoryId) =>
    store.transact(Effect.forEach(all, (name) => addPet(store, categoryId, { name })))
  )

/** Where the page after the one with this last pet begins. */
const behind = (last: PetRecord | undefined): Pick<PetQuery, "after" | "afterName"> =>
  last === undefined ? { after: limits.id, afterName: "~" } : { after: last.id, afterName: last.name }

/** Every pet of a list, read page by page. */
const paged = (store: Store, query: Partial<PetQuery>, limit: number) =>
  Effect.gen(function* () {
    const pets: Array<PetRecord> = []
    for (let place: Pick<PetQuery, "after" | "afterName"> = { after: 0 }; ; place = behind(pets.at(-1))) {
      const page = yield* listPets(store, { ...query, ...place, limit })
      pets.push(...page)
      if (page.length < limit) return pets
    }
  })

const statuses: ReadonlyArray<PetStatus> = ["available", "pending", "sold"]

/** Pets of every status in two categories, three each. */
const givenMixture = (store: Store) =>
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
  "pets are listed in ascending id, after the given one and up to the limit": (store) =>
    Effect.gen(function* () {
      const ids = yield* givenNames(store, ["Zoe", "Ben", "Max", "Amy", "Kim"])
      const list = (after: number, limit: number) =>
        Effect.map(listPets(store, { after, limit }), (pets) => pets.map(({ id }) => id))
      assertEqual(yield* list(0, 100), ids)
      assertEqual(yield* list(0, 2), ids.slice(0, 2))
      assertEqual(yield* list(ids[1] ?? 0, 2), ids.slice(2, 4))
      assertEqual(yield* list(ids[3] ?? 0, 2), ids.slice(4))
      assertEqual(yield* list(ids[4] ?? 0, 2), [])
      assertEqual(yield* list(limits.id, 2), [])
    }),

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
      const [moved] = yield* store.pets.list({ categoryId: dogs, after: 0, limit: 1 })
      if (moved !== undefined) yield* store.transact(store.pets.save({ ...moved, categoryId: cats }))
      assertEqual((yield* names(store, { categoryId: dogs })).length, 8)
      assertEqual((yield* names(store, { categoryId: cats })).length, 10)
      assertEqual(yield* names(store, { categoryId: 99 }), [])
    }),

  "combined filters return only pets that match all of them": (store) =>
    Effect.gen(function* () {
      const categories = yield* givenMixture(store)
      const every = yield* store.pets.list({ after: 0, limit: 100 })
      const some = every.filter((_, index) => index % 2 === 0).map(({ id }) => id)
      const queries = [undefined, ...statuses].flatMap((status) =>
        [undefined, ...categories].flatMap((categoryId) =>
          [undefined, "Max", "Rex"].flatMap((name) =>
            [undefined, some].map((ids) => ({ status, categoryId, name, ids }))
          )
        )
      )
      const matches = (query: (typeof queries)[number]) => (pet: PetRecord) =>
        (query.status ?? StockRules.statusOf(pet.stock)) === StockRules.statusOf(pet.stock) &&
        (query.categoryId ?? pet.categoryId) === pet.categoryId &&
        pet.name.startsWith(query.name ?? "") &&
        (query.ids ?? [pet.id]).includes(pet.id)
      for (const query of queries) {
        const expected = every.filter(matches(query)).sort(comparePets({ ...query, after: 0, limit: 0 }))
        const pages = [
          ...(yield* listPets(store, { ...query, after: 0, limit: 2 })),
          ...(yield* listPets(store, { ...query, ...behind(expected[1]), limit: 100 }))
        ]
        assertEqual(pages, expected, `the list for ${JSON.stringify(query)}`)
      }
    }),

  "a list by ids returns each pet once, in ascending id, in whatever order and how often ids are given": (store) =>
    Effect.gen(function* () {
      const [amy = 0, ben = 0, cat = 0] = yield* givenNames(store, ["Amy", "Ben", "Cat"])
      assertEqual(yield* names(store, { ids: [cat, amy, cat, 999, limits.id] }), ["Amy", "Cat"])
      assertEqual(yield* names(store, { ids: [cat, ben, amy], after: amy, limit: 1 }), ["Ben"])
      assertEqual(yield* names(store, { ids: [] }), [])
      const hundred = Array.from({ length: limits.ids }, (_, index) => index + 1)
      assertEqual(yield* names(store, { ids: hundred }), ["Amy", "Ben", "Cat"])
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
        const expected = odd.filter((name) => name.startsWith(prefix)).sort(compareCodePoints)
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
        const expected = odd.filter((name) => name.startsWith(prefix)).sort(compareCodePoints)
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
      const all = yield* store.pets.list({ name: "Max", after: 0, limit: 1_000 })
      const order = comparePets({ name: "Max", after: 0, limit: 0 })
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
          const page: ReadonlyArray<PetRecord> = yield* store.pets.list({ after, limit: 3 })
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
    }),

  "a change that is rolled back does not change the lists": (store) =>
    Effect.gen(function* () {
      const [dogs = 0, cats = 0] = yield* givenMixture(store)
      const all = { after: 0, limit: 100 }
      const lists = Effect.all([
        store.pets.list(all),
        ...statuses.map((status) => store.pets.list({ ...all, status })),
        store.pets.list({ ...all, categoryId: dogs }),
        store.pets.list({ ...all, categoryId: cats, status: "sold" }),
        store.pets.list({ ...all, name: "Rex" }),
        store.pets.list({ ...all, name: "Other" })
      ])
      const before = yield* lists
      yield* Effect.exit(
        store.transact(
          Effect.gen(function* () {
            for (const pet of yield* store.pets.list(all)) {
              yield* store.movements.append(newMovement(pet.id, 2))
              yield* store.pets.save({ ...pet, name: "Other", categoryId: cats, stock: stocks.sold })
            }
            yield* addPet(store, cats, { name: "Other" })
            return yield* Effect.fail("no")
          })
        )
      )
      assertEqual(yield* lists, before)
    })
})
