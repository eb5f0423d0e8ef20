import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, petOf } from "./given.ts"
import { allIds } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const plain = [
  ...["Ré́mi", "Ωmega", "김치", "犬のポチ", "كلب", "שלום", "🐶", "👩‍🚀 and 🇩🇪", "\u{10ffff}"],
  ...["a\u200bb", "שלום\u200f", "O'Malley", 'Bobby"); DROP TABLE pets; --', "<script>alert(1)</script>"],
  ...["100%_\\", "null", "__proto__", "$1 {{x}} %s"]
]

/** Names that compare equal. */
const oneName = [
  [" Caf\u00e9", "CAFE\u0301 "],
  ["Straße", "STRASSE"],
  ["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ["ﬁsh", "FISH"],
  ["\u212bngström", "ångström"],
  ["İstanbul", "i̇stanbul"],
  ["Dogs", "dogs"]
] as const

/** Names of which no two compare equal. */
const otherNames = ["Dogs", "Dögs", "Ｄogs", "D ogs", "Dogs\u200b", "犬", "猫"]

export const textCases = petstoreCases("text", {
  "text of any script is kept": async (petstore) => {
    const categoryId = await category(petstore)
    for (const name of plain) {
      const pet = await petstore.pets.create({ name, categoryId })
      assertEqual([pet.name, (await petstore.pets.get(pet.id)).name], [name.normalize("NFC"), name.normalize("NFC")])
      const message = await petstore.messages.enqueue(name)
      assertEqual((await petstore.messages.get(message.id)).message, name.normalize("NFC"))
    }
  },
  "text is stored trimmed and in NFC": async (petstore) => {
    const sent = " \u00a0\u3000Re\u0301mi\u2003 "
    const { id, description, name } = await petstore.categories.create({ name: sent, description: `\n${sent}\t` })
    assertEqual([name, description], ["R\u00e9mi", "R\u00e9mi"])
    assertEqual(
      (await petstore.categories.update(id, { name: "R\u00e9mi  " })).version,
      1,
      "the version of the same name"
    )
    const pet = await petstore.pets.create({ name: sent, categoryId: id })
    assertEqual(pet.name, "R\u00e9mi")
    assertEqual((await petstore.pets.update(pet.id, { name: sent })).version, 1, "the version of the same name")
    assertEqual((await petstore.messages.enqueue(sent)).message, "R\u00e9mi")
    assertEqual((await petstore.accounts.create({ name: sent })).name, "R\u00e9mi")
  },
  "lengths count code points as they are sent, not code units": async (petstore) => {
    const categoryId = await category(petstore)
    const create = (name: string) => petstore.pets.create({ name, categoryId })
    assertEqual((await create("🐶".repeat(200))).name, "🐶".repeat(200))
    assertEqual((await create("e\u0301".repeat(100))).name, "\u00e9".repeat(100))
    await rejectsInput(create("🐶".repeat(201)), "/body/name")
    await rejectsInput(create(`${"e\u0301".repeat(100)}x`), "/body/name")
    await rejectsInput(create(`${"x".repeat(200)} `), "/body/name")
  },
  "a lone surrogate, and a name that cannot be seen or changes the direction of text, is rejected everywhere": async (
    petstore
  ) => {
    const { accounts, apiKeys, categories, messages, pets } = petstore
    const petId = await petOf(petstore, 1)
    const { categoryId } = await pets.get(petId)
    const { id: accountId } = await accounts.create({ name: "Shop" })
    const surrogates = ["\ud800", "\udc00", "a\ud83d", "\udc36\ud83d"]
    for (const name of [...surrogates, "\u200b", "\u2060\u00ad \u3164", "a\u202eb", "\u2067a\u2069"]) {
      for (const call of [
        () => pets.create({ name, categoryId }),
        () => pets.update(petId, { name }),
        () => categories.create({ name }),
        () => categories.update(categoryId, { name }),
        () => accounts.create({ name }),
        () => apiKeys.create({ accountId, name, scopes: ["pets:read"] })
      ])
        await rejectsInput(call(), "/body/name")
    }
    for (const text of surrogates)
      await rejectsInput(categories.create({ name: "Dogs", description: text }), "/body/description")
    for (const text of [...surrogates, "\u200b\n"]) await rejectsInput(messages.enqueue(text), "/body/message")
  },
  "names of categories that compare equal are one name": async (petstore) => {
    for (const [first, second] of oneName) {
      await petstore.categories.create({ name: first })
      const name = second.trim().normalize("NFC")
      await rejectsWith("category_name_taken", petstore.categories.create({ name: second }), { name })
    }
  },
  "names of categories that only look alike are different names": async (petstore) => {
    for (const name of otherNames) assertEqual((await petstore.categories.create({ name })).name, name)
  },
  "pets are found by a prefix of their name in any spelling": async (petstore) => {
    const categoryId = await category(petstore)
    const { id } = await petstore.pets.create({ name: "R\u00e9mi 🐶", categoryId })
    const named = (name: string) => allIds(petstore.pets.all({ name }))
    assertEqual(await named("Re\u0301"), [id])
    assertEqual(await named("R\u00e9mi 🐶"), [id])
    assertEqual(await named("Re"), [])
  },
  "a prefix of a name is taken literally": async (petstore) => {
    const categoryId = await category(petstore)
    const names = ["100%", "100_", "100*", "100\\", "100'", '100"', "100[a]", "100x", "\u{10ffff}\u{10ffff}", "\uffff"]
    for (const name of names) await petstore.pets.create({ name, categoryId })
    const namesOf = async (name: string) => (await petstore.pets.list({ name })).items.map((pet) => pet.name)
    for (const name of names) assertEqual(await namesOf(name), [name])
    assertEqual(await namesOf("\u{10ffff}"), ["\u{10ffff}\u{10ffff}"])
    assertEqual((await namesOf("100")).length, 8)
  }
})
