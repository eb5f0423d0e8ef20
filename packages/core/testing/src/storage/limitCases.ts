import { limits } from "@petstore/core/domain"
import { accountsByName, categoriesByName, movementsOf, petsBy } from "@petstore/core/tables"
import { anOrderRecord } from "../builders.ts"
import { assertEqual } from "../check.ts"
import { allRows } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import {
  addOrder,
  addPet,
  at,
  givenCategory,
  keyOf,
  newAccount,
  newApiKey,
  newCategory,
  newMessage,
  newMovement,
  newStoredResult
} from "./rows.ts"
import { readLog } from "./watching.ts"

const largest = Number.MAX_SAFE_INTEGER

const texts = [
  "plain",
  "Ünïcödé",
  "e\u0301 is not é",
  "🐶🐱👩‍👩‍👧‍👦🏳️‍🌈",
  "\u{10ffff}\u{10000}\uffff\ufeff",
  "\u200b\u200f\u2028\u2029\u00a0",
  "שלום مرحبا 犬 ひ",
  "'; DROP TABLE pets; --",
  '"quoted" `ticked` \\back\\slashed\\',
  "%_*?[]{}$1 :name @p ?1",
  '{"json":[null,1e400]}',
  "0",
  "null",
  " ".repeat(3).concat("x"),
  "NaN"
]

export const limitCases = storageCases("storage: limits and unicode", {
  *"every text is kept exactly, whatever its script"(store) {
    for (const [index, text] of texts.entries()) {
      yield* store.run(function* (tx) {
        const nameKey = `${index} ${text}`
        const categoryId = yield* tx.categories.insert({ ...newCategory(text, text), nameKey })
        const petId = yield* addPet(tx, categoryId, { name: text })
        yield* tx.movements.insert({ ...newMovement(petId, 2), actor: text })
        yield* tx.messages.insert(newMessage(`msg_${10 + index}`, { message: text }))
        const data = { id: categoryId, name: text, description: text, version: 1 }
        const event = { type: "category.created", subject: `categories/${categoryId}`, timestamp: at(1), data } as const
        yield* tx.events.append({ id: `evt_${index}`, ...event })
        const accountId = yield* tx.accounts.insert({ ...newAccount(text), nameKey })
        yield* tx.apiKeys.insert(newApiKey(accountId, { name: text }))
        yield* tx.idempotency.lock(keyOf(accountId, text))
        yield* tx.idempotency.save(newStoredResult(text, { accountId, result: text, operation: text }))
      })
      const [pet] = yield* store.select(petsBy, { name: text, after: 0 }, 1)
      const [category] = yield* store.select(categoriesByName, `${index} ${text}`, 1)
      const [account] = yield* store.select(accountsByName, `${index} ${text}`, 1)
      const { id = 0, name } = account?.account ?? {}
      const record = yield* store.run((tx) => tx.idempotency.lock(keyOf(id, text)))
      const read = [pet?.name, category?.category.name, name, record?.key, record?.result, record?.operation]
      assertEqual(new Set(read), new Set([text]), `what is found by ${JSON.stringify(text)}`)
    }
    yield* readLog(store, texts.length)
    const { apiKeys, categories, events, messages, movements } = yield* allRows(store)
    const columns: Readonly<Record<string, ReadonlyArray<unknown>>> = {
      descriptions: categories.map(({ category }) => category.description),
      actors: movements.flatMap(({ actor, seq }) => (seq === 2 ? [actor] : [])),
      messages: messages.map(({ message }) => message),
      keys: apiKeys.map(({ key }) => key.name)
    }
    for (const [what, all] of Object.entries(columns)) assertEqual(all, texts, `the ${what}`)
    const named = events.map(({ data }) => ["name", "description"].map((field) => Reflect.get(data, field)))
    assertEqual(
      named,
      texts.map((text) => [text, text])
    )
  },

  *"the longest texts are kept exactly"(store) {
    const long = (length: number) => "🐶".repeat(length)
    const name = long(limits.petName)
    const message = `${long(limits.message - 2)}\r\n`
    const description = `${long(limits.description - 1)}\t`
    const key = Array.from({ length: limits.idempotencyKey }, (_, index) =>
      String.fromCharCode(0x21 + (index % 94))
    ).join("")
    const result = JSON.stringify({ text: long(100_000) })
    yield* store.run(function* (tx) {
      const categoryId = yield* tx.categories.insert(newCategory(long(limits.categoryName), description))
      yield* addPet(tx, categoryId, { name })
      yield* tx.messages.insert(newMessage("msg_1", { message }))
      yield* tx.idempotency.lock(keyOf(1, key))
      yield* tx.idempotency.save(newStoredResult(key, { result }))
    })
    const [category] = yield* store.select(categoriesByName, long(limits.categoryName), 1)
    assertEqual(category?.category.description, description)
    assertEqual(
      (yield* store.select(petsBy, { name, after: 0 }, 2)).map((pet) => pet.name),
      [name]
    )
    assertEqual((yield* store.messages.find("msg_1"))?.message, message)
    assertEqual((yield* store.run((tx) => tx.idempotency.lock(keyOf(1, key))))?.result, result)
  },

  *"the largest numbers are kept exactly"(store) {
    const categoryId = yield* givenCategory(store)
    const stock = { onHand: limits.stock, reserved: limits.stock, held: true }
    const added = { stock, version: largest, stockVersion: largest - 1, lastMovement: largest - 2 }
    const id = yield* store.run((tx) => addPet(tx, categoryId, added))
    const pet = yield* store.pets.find(id)
    assertEqual(
      [pet?.stock, pet?.version, pet?.stockVersion, pet?.lastMovement],
      [stock, largest, largest - 1, largest - 2]
    )
    const orderId = yield* store.run(function* (tx) {
      const order = { state: "open", petId: id, quantity: limits.orderQuantity } as const
      const orderId = yield* addOrder(tx, order)
      yield* tx.orders.save(anOrderRecord({ id: orderId, order, version: largest }))
      yield* tx.movements.insert({ ...newMovement(id, 2), deltaOnHand: -limits.stock })
      yield* tx.movements.insert({ ...newMovement(id, 3), deltaOnHand: limits.stock })
      return orderId
    })
    const order = yield* store.orders.find(orderId)
    assertEqual([order?.version, order?.order.quantity], [largest, limits.orderQuantity])
    assertEqual(
      (yield* store.select(movementsOf, { petId: id, after: 1 }, 5)).map(({ deltaOnHand }) => deltaOnHand),
      [-limits.stock, limits.stock]
    )
  },

  *"the first and the last year, and every byte, are kept exactly"(store) {
    const [first, last] = ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]
    const digest = Uint8Array.from({ length: 32 }, (_, index) => index * 8 + (index % 8))
    yield* store.run(function* (tx) {
      yield* addOrder(tx, { state: "draft", shipDate: first })
      yield* addOrder(tx, { state: "draft", shipDate: last })
      const accountId = yield* tx.accounts.insert(newAccount("Shop"))
      const key = newApiKey(accountId, { createdAt: first, expiresAt: last })
      yield* tx.apiKeys.insert({ ...key, digest, previous: { digest: digest.toReversed(), until: last } })
      yield* tx.idempotency.lock(keyOf(1, "k"))
      yield* tx.idempotency.save(newStoredResult("k", { fingerprint: digest, createdAt: last }))
    })
    assertEqual(
      (yield* store.orders.scan([], 5)).map(({ order }) => order.shipDate),
      [first, last]
    )
    const [record] = yield* store.apiKeys.scan([], 1)
    assertEqual([record?.key.createdAt, record?.key.expiresAt], [first, last])
    assertEqual([record?.digest, record?.previous], [digest, { digest: digest.toReversed(), until: last }])
    assertEqual((yield* store.run((tx) => tx.idempotency.lock(keyOf(1, "k"))))?.fingerprint, digest)
  }
})
