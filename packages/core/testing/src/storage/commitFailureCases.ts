import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { faultCases } from "./cases.ts"
import { isStoreFailure, outcome } from "./outcomes.ts"
import { inTurn } from "./programs.ts"
import { addPet, givenCategory, givenPet, newEvent, reserveUnits } from "./rows.ts"
import type { TestedFaults, TestedStore } from "./TestedStore.ts"
import { readLog } from "./watching.ts"

const names = (store: TestedStore) => Effect.map(store.pets.scan([], 1_000), (pets) => pets.map(({ name }) => name))

/** Transactions that only read beside one that fails. */
export const lookBesideFailure = (store: TestedStore, arm: TestedFaults["failNextCommit"]) =>
  Effect.gen(function* () {
    const id = yield* givenPet(store)
    yield* arm(store)
    const reserve = Effect.exit(store.run((tx) => reserveUnits(tx, id)))
    const look = store.run(function* (tx) {
      return (yield* tx.pets.lock(id))?.stock.reserved
    })
    const looks = Effect.forEach([1, 2, 3], () => Effect.exit(look), { concurrency: "unbounded" })
    const [exit, seen] = yield* Effect.all([reserve, looks], { concurrency: "unbounded" })
    const reserved = (yield* store.pets.find(id))?.stock.reserved
    assertEqual(reserved, Exit.isSuccess(exit) ? 1 : 0, "the units that are reserved")
    for (const one of seen) {
      if (Exit.isSuccess(one)) assertTrue((one.value ?? 0) <= (reserved ?? 0), `${one.value} units are reserved`)
      else assertTrue(isStoreFailure(one), `the failure is the store's, not ${outcome(one)}`)
    }
  })

export const commitFailureCases = faultCases("storage: failures at COMMIT", {
  "a transaction whose commit fails returns a typed error, and changes nothing": (store, { failNextCommit }) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const before = yield* allRows(store)
      yield* failNextCommit(store)
      const exit = yield* Effect.exit(store.run((tx) => addOneOfEach(tx, 2)))
      assertTrue(isStoreFailure(exit), `it is a failure of the store that left nothing, not ${outcome(exit)}`)
      assertEqual(yield* allRows(store), before)
    }),

  "the transaction after a failed commit works": (store, { failNextCommit }) =>
    Effect.gen(function* () {
      yield* failNextCommit(store)
      yield* Effect.exit(store.run((tx) => addOneOfEach(tx, 1)))
      yield* store.ready
      yield* givenOneOfEach(store)
      const stored = yield* allRows(store)
      for (const [kind, rows] of Object.entries(stored)) assertEqual(rows.length, 1, `the number of ${kind}`)
      assertEqual(stored.events[0]?.seq, 1)
      assertEqual(yield* store.inspect, [])
    }),

  "a store whose commits fail is not ready, and is ready once they succeed again": (store, { failNextCommit }) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      yield* store.ready
      yield* failNextCommit(store)
      yield* Effect.exit(store.run((tx) => addPet(tx, categoryId)))
      yield* failNextCommit(store)
      const exits = yield* Effect.all([Effect.exit(store.ready), Effect.exit(store.ready)], {
        concurrency: "unbounded"
      })
      const [first] = exits
      assertTrue(isStoreFailure(first), `it is a failure of the store that left nothing, not ${outcome(first)}`)
      yield* store.ready
      yield* store.run((tx) => addPet(tx, categoryId))
    }),

  "if a commit fails among concurrent transactions, exactly those that succeeded are committed": (
    store,
    { failNextCommit }
  ) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      yield* failNextCommit(store)
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
      const failed = exits.filter(Exit.isFailure)
      assertTrue(failed.length > 0, "the commit of at least one fails")
      for (const exit of failed) assertTrue(isStoreFailure(exit), `each failure is the store's, not ${outcome(exit)}`)
      const done = exits.flatMap((exit, index) => (Exit.isSuccess(exit) ? [index] : []))
      assertEqual((yield* names(store)).sort(), done.map((index) => `Rex ${index}`).sort())
      const events = yield* readLog(store, done.length)
      assertEqual(
        events.map(({ seq }) => seq),
        done.map((_, place) => place + 1)
      )
      assertEqual(new Set(events.map(({ id }) => id)), new Set(done.map((index) => `evt_${index + 1}`)))
    }),

  "no transaction is rejected because of a change of another one whose commit failed": (store, { failNextCommit }) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      yield* failNextCommit(store)
      const exits = yield* Effect.forEach([1, 2, 3], () => Effect.exit(store.run((tx) => reserveUnits(tx, id))), {
        concurrency: "unbounded"
      })
      const outcomes = exits.map(outcome)
      const reserved = (yield* store.pets.find(id))?.stock.reserved
      assertEqual(reserved, outcomes.filter((one) => one === "ok").length, "the units that are reserved")
      assertTrue(
        reserved === 1 || !outcomes.includes("InsufficientStock"),
        `no reservation fails for lack of units while there is one: ${outcomes}`
      )
      yield* Effect.exit(store.run((tx) => reserveUnits(tx, id)))
      assertEqual((yield* store.pets.find(id))?.stock.reserved, 1)
    }),

  "if a commit fails, no transaction beside it succeeds with what was not committed": (store, { failNextCommit }) =>
    lookBesideFailure(store, failNextCommit)
})
