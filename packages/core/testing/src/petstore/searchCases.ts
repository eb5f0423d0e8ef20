import type { Petstore } from "@petstore/core"
import type { PetFilter } from "@petstore/core/domain"
import { wordsOf } from "@petstore/core/tables"
import { array, map, sampleEffect } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual, assertTrue } from "../check.ts"
import { int } from "../combine.ts"
import { allWith, type EmbeddedBody, embeddedGroup } from "./embeddedGroup.ts"
import { category } from "./given.ts"
import { collect, idsOf } from "./inspect.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const named = async (petstore: Petstore, names: ReadonlyArray<string>) => {
  const categoryId = await category(petstore)
  return petstore.pets.createAll(names.map((name) => ({ name, categoryId })))
}

/** The names that a search finds, on pages of two. */
const matches = async (petstore: Petstore, search: string, filter: PetFilter = {}) =>
  (await collect(petstore.pets.all({ limit: 2, ...filter, search }))).map(({ name }) => name)

const names = [
  "Café-Crème the Cat",
  "Big Łódź Hound",
  "cafe racer",
  "CAFETERIA cat",
  "O'Neil's dog_house",
  "柴犬 Hachi",
  "Straßenhund",
  "🐶",
  "-- --",
  "a AND b OR c NOT d NEAR e"
]

/** Searches by the places of the names that they find. */
const searches: ReadonlyArray<readonly [places: ReadonlyArray<number>, searches: ReadonlyArray<string>]> = [
  [
    [0, 3],
    ["cat", "café cat", "cat café", "cat cat ca c", '"cat', "-cat", "'cat':*", "cat\\"]
  ],
  [
    [0, 2, 3],
    ["CAFE", "caf*"]
  ],
  [[0], ["creme-the"]],
  [[1], ["lodz", "łódź", "ŁODŹ big hou"]],
  [[4], ["neil", "house"]],
  [[5], ["柴"]],
  [[6], ["strassen", "STRAẞE"]],
  [[9], ["not or and near", "near("]],
  [[], ["ouse", "cat dog", "found:cat", "cat' & !dog | ('", "x".repeat(200)]]
]

const signs = [..."aAbcéÉßøıİÅ犬 \u0301'\"*():^-+&|!<>\\%_$?;,./{}[]~`0١9🐶"]
const text = map(
  array(
    map(int(0, signs.length - 1), (place) => signs[place] ?? ""),
    { minLength: 1, maxLength: 12 }
  ),
  (all) => all.join("")
)

/** Whether each word of a search begins a word of a name. */
const isFound = (name: string, search: string): boolean =>
  wordsOf(search).every((word) => wordsOf(name).some((one) => one.startsWith(word)))

const bodies: Readonly<Record<string, EmbeddedBody>> = {
  "pets are found by words of their names, without case and accents": async (petstore) => {
    await named(petstore, names)
    for (const [places, alike] of searches) {
      const expected = places.map((place) => names[place])
      for (const search of alike) assertEqual(await matches(petstore, search), expected, search)
    }
  },
  "any text finds what has its words, and nothing of it is syntax": async (petstore) => {
    const random = (await Effect.runPromise(sampleEffect(text, { count: 150 }))).filter((one) => one.trim() !== "")
    const pets: Array<{ readonly id: number; readonly name: string }> = []
    for (const name of random) {
      const created = await named(petstore, [name]).catch(() => [])
      pets.push(...created)
    }
    assertTrue(pets.length > 50, "most of them are names")
    for (const search of random) {
      if (wordsOf(search).length === 0) await rejectsInput(petstore.pets.list({ search }), "/query/search")
      else {
        const expected = pets.filter(({ name }) => isFound(name, search))
        assertEqual(
          idsOf((await petstore.pets.list({ search, limit: 100 })).items),
          idsOf(expected.slice(0, 100)),
          search
        )
      }
    }
  },
  "a search has the order, the pages, the total and the other filters of the list": async (petstore) => {
    const pets = await named(petstore, ["Red cat", "Cat red", "Blue cat", "Red dog", "Big red cat", "Réd Cat"])
    const other = (await named(petstore, ["Red cat"]))[0] ?? { id: 0, categoryId: 0 }
    await petstore.pets.update(pets[1]?.id ?? 0, { status: "sold" })
    const cats = [pets[0], pets[1], pets[4], pets[5], other].flatMap((pet) => pet?.id ?? [])
    const list = async (filter: PetFilter) => idsOf(await collect(petstore.pets.all({ search: "cat red", ...filter })))
    for (const limit of [1, 2, 5]) {
      assertEqual(await list({ limit }), cats)
      assertEqual(await list({ limit, sort: "-id" }), cats.toReversed())
    }
    assertEqual(await list({ status: "sold" }), [pets[1]?.id])
    assertEqual(
      await list({ status: "available", limit: 1 }),
      cats.filter((id) => id !== pets[1]?.id)
    )
    assertEqual(await list({ categoryId: other.categoryId, limit: 1 }), [other.id])
    assertEqual(await list({ categoryId: other.categoryId, status: "sold" }), [])
    assertEqual(await list({ id: [pets[3]?.id ?? 0, pets[4]?.id ?? 0] }), [pets[4]?.id])
    assertEqual(await list({ name: "Red", limit: 1 }), [pets[0]?.id, other.id])
    assertEqual(await list({ sort: "-name", limit: 2 }), [pets[5]?.id, other.id, pets[0]?.id, pets[1]?.id, pets[4]?.id])
    const { total } = await petstore.pets.list({ search: "red cat", count: true, limit: 1 })
    assertEqual(total, { count: 5, isExact: true })
    const { next } = await petstore.pets.list({ search: "red cat", limit: 1 })
    await rejectsWith("invalid_cursor", petstore.pets.list({ search: "red", cursor: next ?? "" }))
    await rejectsWith("invalid_cursor", petstore.pets.list({ cursor: next ?? "" }))
    assertEqual(idsOf((await petstore.pets.list({ search: "CAT réd", cursor: next ?? "", limit: 1 })).items), [cats[1]])
  },
  "a search follows names, deletions and petstores without the option": async (petstore, { another }) => {
    const [one, two] = idsOf(await named(petstore, ["Zoë", "Rex"]))
    assertEqual(await matches(petstore, "zoe"), ["Zoë"])
    const [late] = idsOf(await named(another, ["Café Zoé"]))
    await another.pets.update(two ?? 0, { name: "Réx" })
    assertEqual(await matches(petstore, "zoe"), ["Zoë", "Café Zoé"])
    assertEqual(await matches(petstore, "rex"), ["Réx"])
    await another.pets.update(one ?? 0, { name: "Max" })
    assertEqual(await matches(petstore, "zoe"), ["Café Zoé"])
    await another.pets.delete(late ?? 0)
    assertEqual(await matches(petstore, "zoe"), [])
    const { next } = await petstore.pets.list({ search: "max" })
    assertEqual(next, undefined)
    if (another !== petstore) await rejectsInput(another.pets.list({ search: "max" }), "/query/search")
  },
  "a search has words, and few of them": async (petstore) => {
    for (const search of ["", " ", "!?", "🐶", "\u0301", "x".repeat(201), "a b c d e f g h i j k", "\u0000"])
      await rejectsInput(petstore.pets.list({ search }), "/query/search")
    assertEqual(await matches(petstore, "a b c d e f g h i j"), [])
    assertEqual(await matches(petstore, Array.from({ length: 100 }, () => "x").join(" ")), [])
  },
  "a transaction finds what it has written": async (petstore) => {
    const [, rex = 0] = idsOf(await named(petstore, ["Zoë", "Rex"]))
    const categoryId = await category(petstore)
    await petstore.transaction(async (tx) => {
      await tx.pets.create({ name: "Zoé the second", categoryId })
      await tx.pets.update(rex, { name: "Zoe Rex" })
      const { items } = await tx.pets.list({ search: "zoe" })
      assertEqual(
        items.map(({ name }) => name),
        ["Zoë", "Zoe Rex", "Zoé the second"]
      )
    })
    assertEqual(await matches(petstore, "zoe"), ["Zoë", "Zoe Rex", "Zoé the second"])
  }
}

const group = "search"

const cases = embeddedGroup(group, allWith({ options: { search: "words" }, ofAnother: {} }, bodies))

/** Cases of the option `search`, and that a storage without an index of words refuses it. */
export const searchCases = (fixture: EmbeddedFixture): ReadonlyArray<ContractCase> => {
  const { findsWords = true, openWith } = fixture
  if (findsWords || openWith === undefined) return cases(fixture)
  const opened = Effect.exit(openWith({ search: "words" }))
  const run = Effect.scoped(Effect.map(opened, ({ _tag }) => assertEqual(_tag, "Failure")))
  return [{ group, name: "a storage without an index of words refuses the option", run }]
}
