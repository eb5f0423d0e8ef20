import { petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { faultCases } from "./cases.ts"
import { lookBesideFailure } from "./commitFailureCases.ts"
import { isStoreFailure, outcome } from "./outcomes.ts"
import { inTurn } from "./programs.ts"
import { addPet, givenCategory, givenPet, newEvent, reserveUnits } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"
import { readLog } from "./watching.ts"

const names = (store: TestedStore) => Effect.map(store.pets.scan([], 1_000), (pets) => pets.map(({ name }) => name))

const failedAsStore = (exit: Exit.Exit<unknown, unknown>): void =>
  assertTrue(isStoreFailure(exit), `it is a failure of the store that left nothing, not ${outcome(exit)}`)

export const lostTransactionCases = faultCases("storage: lost transactions", {
  "a transaction that a full disk has ended fails with storage_full, and what was committed can be read": (
    store,
    { loseNextTransaction }
  ) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const before = yield* allRows(store)
      yield* loseNextTransaction(store)
      assertEqual(outcome(yield* Effect.exit(store.run((tx) => addOneOfEach(tx, 2)))), "StorageFull", "the failure")
      assertEqual(yield* allRows(store), before)
    }),

  "a transaction that is lost returns a typed error, changes nothing, and the next one works": (
    store,
    { loseNextTransaction }
  ) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const before = yield* allRows(store)
      yield* loseNextTransaction(store)
      failedAsStore(yield* Effect.exit(store.run((tx) => addOneOfEach(tx, 2))))
      assertEqual(yield* allRows(store), before)
      yield* store.run((tx) => addOneOfEach(tx, 2))
      assertEqual(
        (yield* readLog(store, 2)).map(({ seq }) => seq),
        [1, 2]
      )
      assertEqual(yield* store.inspect, [])
    }),

  "if one of many concurrent transactions is lost, exactly those that succeeded are committed": (
    store,
    { loseNextTransaction }
  ) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      yield* loseNextTransaction(store)
      const exits = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        (index) =>
          Effect.exit(
            store.run((tx) =>
              inTurn(addPet(tx, categoryId, { name: `Rex ${index}` }), tx.events.append(newEvent(index + 1)))
            )
          ),
        { concurrency: "unbounded" }
      )
      assertTrue(exits.some(Exit.isFailure), "at least one is lost")
      for (const exit of exits) if (Exit.isFailure(exit)) failedAsStore(exit)
      const done = exits.flatMap((exit, index) => (Exit.isSuccess(exit) ? [index] : []))
      assertEqual((yield* names(store)).sort(), done.map((index) => `Rex ${index}`).sort())
      const events = yield* readLog(store, done.length)
      assertEqual(
        events.map(({ seq }) => seq),
        done.map((_, place) => place + 1)
      )
      assertEqual(new Set(events.map(({ id }) => id)), new Set(done.map((index) => `evt_${index + 1}`)))
      yield* store.run((tx) => addPet(tx, categoryId, { name: "next" }))
      assertEqual((yield* names(store)).length, done.length + 1)
    }),

  "no transaction is rejected because of a change of another one that was lost": (store, { loseNextTransaction }) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const categoryId = yield* givenCategory(store, "Cats")
      yield* loseNextTransaction(store)
      const exits = yield* Effect.forEach(
        [1, 2, 3, 4],
        (n) =>
          Effect.exit(n === 3 ? store.run((tx) => addPet(tx, categoryId)) : store.run((tx) => reserveUnits(tx, id))),
        { concurrency: "unbounded" }
      )
      const outcomes = exits.map(outcome)
      const reserved = (yield* store.pets.find(id))?.stock.reserved
      assertEqual(reserved, [0, 1, 3].filter((index) => outcomes[index] === "ok").length, "the units that are reserved")
      assertTrue(
        reserved === 1 || !outcomes.includes("InsufficientStock"),
        `no reservation fails for lack of units while there is one: ${outcomes}`
      )
      const added = outcomes[2] === "ok" ? 1 : 0
      assertEqual((yield* store.select(petsBy, { categoryId, after: 0 }, 10)).length, added)
    }),

  "no transaction succeeds with what another one has written that was lost": (store, { loseNextTransaction }) =>
    lookBesideFailure(store, loseNextTransaction)
})
