import { assert, describe, it } from "@effect/vitest"
import { arbitraries } from "@petstore/testing"
import { checkEffect } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { hasWords, searchedWords, storedWords, wordsOf } from "./words.ts"

describe("given names", () => {
  for (const [name, words] of [
    ["Golden Retriever 12", ["golden", "retriever", "12"]],
    ["O'Neil's dog_house", ["o", "neil", "s", "dog", "house"]],
    ["Café-Crème", ["cafe", "creme"]],
    ["Cafe\u0301", ["cafe"]],
    ["ŁÓDŹ Smørrebrød Straße STRAẞE", ["lodz", "smorrebrod", "strasse", "strasse"]],
    ["İstanbul ıI", ["istanbul", "ii"]],
    ["ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]],
    ["ﬁsh Ⅷ ①", ["fish", "viii", "1"]],
    ["柴犬 हिन्दी", ["柴犬", "हिन्दी"]],
    ["🐶 --", []],
    ["x".repeat(70), ["x".repeat(64)]]
  ] as const) {
    it(`then ${name.slice(0, 30)} has the words ${words.join(", ").slice(0, 60)}`, () => {
      assert.deepStrictEqual(wordsOf(name), words)
    })
  }

  it("then only one that is not ASCII has words of its own", () => {
    assert.strictEqual(storedWords("Rex-12!"), undefined)
    assert.strictEqual(storedWords("Zoë, die Große"), "zoe die grosse")
    assert.strictEqual(storedWords("🐶"), "")
  })
})

describe("given any name", () => {
  const holds = (is: (name: string) => boolean) =>
    Effect.map(
      checkEffect(arbitraries.newPet, ({ name }) => is(name)),
      ({ _tag }) => assert.strictEqual(_tag, "Passed")
    )

  it.effect("then its words stay as they are when they are taken for a name", () =>
    holds((name) => wordsOf(wordsOf(name).join(" ")).join() === wordsOf(name).join())
  )

  it.effect("then case and the form of Unicode do not matter", () =>
    holds((name) =>
      [name.toUpperCase(), name.toLowerCase(), name.normalize("NFD"), name.normalize("NFKC")].every(
        (other) => wordsOf(other).join() === wordsOf(name).join()
      )
    )
  )

  it.effect("then it has its own words and the beginnings of them", () =>
    holds((name) => {
      const words = searchedWords(name)
      return hasWords(name, words) && hasWords(name, searchedWords([...words.join(" ")].slice(0, -1).join("")))
    })
  )

  it.effect("then a word is no syntax of a database", () =>
    holds((name) => wordsOf(name).every((word) => /^[\p{L}\p{M}\p{N}]+$/u.test(word) && !/[A-Z]/.test(word)))
  )
})

it("given words of a search, then those that others begin with are left out, and their order does not matter", () => {
  assert.deepStrictEqual(searchedWords("cat CA dog cat c"), ["cat", "dog"])
  assert.deepStrictEqual(searchedWords("dog Cat"), searchedWords("cat, DOG"))
})
