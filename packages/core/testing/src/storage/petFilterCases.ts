import { compareValues } from "@petstore/core/engine"
import { type PetQuery, type PetRecord, petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addPet, givenCategory } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

/** The names of the pets in a list, in its order. */
const names = (store: TestedStore, query: Partial<PetQuery>, limit = 100) =>
  Effect.map(store.select(petsBy, { after: 0, ...query }, limit), (pets) => pets.map(({ name }) => name))

/** Adds pets of these names in one transaction, in this order. */
const givenNames = (store: TestedStore, all: ReadonlyArray<string>) =>
  Effect.flatMap(givenCategory(store), (categoryId) =>
    store.transact(Effect.forEach(all, (name) => addPet(store, categoryId, { name })))
  )

export const petFilterCases = storageCases("storage: lists of pets", {
  "a name prefix is case-sensitive, and the whole name is a prefix": (store) =>
    Effect.gen(function* () {
      yield* givenNames(store, ["Rex", "rex", "REX", "Rexine", "T-Rex"])
      assertEqual(yield* names(store, { name: "Re" }), ["Rex", "Rexine"])
      assertEqual(yield* names(store, { name: "rex" }), ["rex"])
      assertEqual(yield* names(store, { name: "Rexine" }), ["Rexine"])
      assertEqual(yield* names(store, { name: "Rexines" }), [])
    }),

  "pets of one name are listed in ascending id, page by page": (store) =>
    Effect.gen(function* () {
      const ids = yield* givenNames(
        store,
        Array.from({ length: 9 }, () => "Rex")
      )
      for (const [index, after] of ids.entries()) {
        const page = yield* store.select(petsBy, { name: "R", after, afterName: "Rex" }, 3)
        assertEqual(
          page.map(({ id }) => id),
          ids.slice(index + 1, index + 4),
          `the page behind ${after}`
        )
      }
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
