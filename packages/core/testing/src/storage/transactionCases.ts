import { categoriesByName, schema as tables } from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { anOrderRecord } from "../builders.ts"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { atOnce } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { diedClearly, outcome, wasRefused } from "./outcomes.ts"
import { inTurn, refuse, throwing } from "./programs.ts"
import { addOrder, addPet, givenCategory, newAccount, newApiKey, newCategory, newMovement } from "./rows.ts"
import type { Part, TestedTransaction } from "./TestedStore.ts"
import { untilLatest } from "./watching.ts"

class Host extends Context.Service<Host, { readonly name: string }>()("@petstore/testing/Host") {}

const drafts = (count: number) =>
  Array.from({ length: count }, () => anOrderRecord({ id: 0, order: { state: "draft" } }))

/** Changes something of every kind that can change, of {@link addOneOfEach}. */
const changeEverything = function* (tx: TestedTransaction): Part<void> {
  const category = yield* tx.categories.lock(1)
  if (category !== undefined) yield* tx.categories.save({ ...category, nameKey: "other", version: 2 })
  const pet = yield* tx.pets.lock(1)
  if (pet !== undefined) {
    yield* tx.movements.insert(newMovement(pet.id, pet.lastMovement + 1))
    yield* tx.pets.save({ ...pet, name: "Other", stock: { onHand: 9, reserved: 1, held: true }, lastMovement: 2 })
  }
  const order = yield* tx.orders.lock(1)
  if (order !== undefined)
    yield* tx.orders.save({ ...order, order: { ...order.order, state: "cancelled" }, version: 2 })
  const key = yield* tx.apiKeys.lock(1)
  if (key !== undefined) yield* tx.apiKeys.save({ ...key, revoked: true })
  yield* tx.idempotency.purge("9999-12-31T23:59:59.999Z", 100)
  yield* addOneOfEach(tx, 2)
}

export const transactionCases = storageCases("storage: transactions", {
  *"a command that succeeds returns its value, and its changes are committed"(store) {
    const petId = yield* store.run((tx) => addOneOfEach(tx, 1))
    yield* untilLatest(store, 1)
    const stored = yield* allRows(store)
    assertEqual(
      stored.pets.map((pet) => pet.id),
      [petId]
    )
    for (const [kind, rows] of Object.entries(stored)) assertEqual(rows.length, 1, `the number of ${kind}`)
    assertEqual(yield* store.run(() => inTurn()), undefined)
    assertEqual((yield* store.run((tx) => tx.pets.find(petId)))?.id, petId, "what a command that only reads returns")
  },

  *"a command gets the services of its caller"(store) {
    const named = store.opened.run(function* (tx, context) {
      const { name } = Context.getUnsafe(context as Context.Context<Host>, Host)
      yield* tx.insert(tables.categories, (id) => tables.categories.withId(newCategory(name), id))
      return name
    })
    assertEqual(yield* Effect.provideService(named, Host, { name: "Zoo" }), "Zoo")
    assertEqual((yield* store.select(categoriesByName, "zoo", 1))[0]?.category.name, "Zoo")
  },

  *"a command that throws or fails changes nothing, and its caller gets the defect or the error"(store) {
    yield* givenOneOfEach(store)
    const before = yield* allRows(store)
    diedClearly(yield* Effect.exit(store.run((tx) => inTurn(changeEverything(tx), throwing("thrown")))), /thrown/)
    assertEqual(yield* Effect.flip(store.run((tx) => inTurn(changeEverything(tx), refuse()))), "no")
    assertEqual(yield* allRows(store), before)
  },

  *"a command may do 5,000 operations"(store) {
    const categoryId = yield* givenCategory(store)
    const ids = yield* store.run(function* (tx) {
      const added: Array<number> = []
      for (let n = 1; n <= 2_500; n++) added.push(yield* addPet(tx, categoryId, { name: `Rex ${n}` }))
      return added
    })
    assertEqual(ids.length, 2_500)
    assertEqual((yield* store.pets.scan([ids[2_399]], 10_000)).length, 100)
  },

  *"of many commands at once that end in every way, exactly those that succeeded are committed"(store) {
    const categoryId = yield* givenCategory(store)
    const exits = yield* atOnce(300, (index) => {
      const add = (tx: TestedTransaction) => addPet(tx, categoryId, { name: `Rex ${index}` })
      const commands = [
        add,
        (tx: TestedTransaction) => inTurn<string>(add(tx), refuse()),
        (tx: TestedTransaction) => inTurn(add(tx), throwing()),
        (tx: TestedTransaction) => addPet(tx, 9_999)
      ]
      return Effect.exit(store.run<unknown, string>(commands[index % 8] ?? add))
    })
    assertEqual(exits.slice(0, 3).map(outcome), ["ok", "failed", "died"])
    for (const [index, exit] of exits.entries()) {
      if (index % 8 === 3) wasRefused(exit)
      else if (Exit.isSuccess(exit)) {
        const pet = yield* store.pets.find(exit.value as number)
        assertEqual(pet?.name, `Rex ${index}`)
      }
    }
    const done = exits.flatMap((exit, index) => (Exit.isSuccess(exit) ? [index] : []))
    const expected = [...exits.keys()].filter((index) => index % 8 === 0 || index % 8 > 3)
    assertEqual(done, expected)
    assertEqual((yield* store.pets.scan([], 1_000)).length, done.length)
    assertEqual(yield* store.inspect, [])
  },

  *"ids that are reserved are given to no other row, and rows that are written with them later keep them"(store) {
    const { reserve } = store
    // A store without it creates nothing in transactions with a body of the host application.
    if (reserve === undefined) return
    const { orders } = tables
    yield* store.run((tx) => addOrder(tx))
    const atOnce = { concurrency: "unbounded" } as const
    const reserved = (yield* Effect.all([reserve(orders, 3), reserve(orders, 1), reserve(orders, 2)], atOnce)).flat()
    assertEqual(reserved.length, 6, "the reserved ids")
    const added = [yield* store.run((tx) => addOrder(tx)), yield* store.run((tx) => addOrder(tx))]
    const late = yield* reserve(orders, 1)
    const [first = 0, , third = 0] = reserved
    // In the opposite order, and not all of them.
    yield* store.run(function* (tx) {
      for (const id of [third, first]) tx.given.add(orders, anOrderRecord({ id, order: { state: "draft" } }))
      yield* tx.orders.find(first)
    })
    added.push(yield* store.run((tx) => addOrder(tx)), ...(yield* store.run((tx) => tx.orders.insertAll(drafts(2)))))
    const all = [1, ...reserved, ...late, ...added]
    assertEqual(new Set(all).size, all.length, `different ids: ${all.join(", ")}`)
    const placed = yield* store.orders.scan([], 1_000)
    assertEqual(
      placed.map(({ id }) => id),
      [1, first, third, ...added].sort((one, other) => one - other),
      "the ids of the rows"
    )
  },

  *"a cached row is found once it exists, on any store, and as this store has last left it"(store, { openAnother }) {
    const { findCached } = store
    if (findCached === undefined) return
    const another = yield* openAnother(store)
    const isRevoked = Effect.suspend(() => Effect.map(findCached(tables.apiKeys, 1), (row) => row?.revoked))
    assertEqual(yield* isRevoked, undefined, "before it exists")
    yield* another.run(function* (tx) {
      yield* tx.apiKeys.insert(newApiKey(yield* tx.accounts.insert(newAccount("Shop"))))
    })
    assertEqual(yield* isRevoked, false, "what another store has added")
    yield* store.run(function* (tx) {
      const key = yield* tx.apiKeys.lock(1)
      if (key !== undefined) yield* tx.apiKeys.save({ ...key, revoked: true })
    })
    assertEqual(yield* isRevoked, undefined, "a key that this store has revoked")
  },

  *"a store is ready, and inspecting it after use reports no problem"(store) {
    yield* store.ready
    yield* givenOneOfEach(store)
    yield* Effect.exit(store.run((tx) => inTurn(changeEverything(tx), refuse())))
    assertEqual(yield* store.inspect, [])
    yield* store.run(changeEverything)
    assertEqual(yield* store.inspect, [])
    yield* store.ready
    assertTrue((yield* allRows(store)).pets.length === 2, "there are two pets")
  }
})
