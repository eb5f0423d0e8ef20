import { petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { atOnce } from "./atOnce.ts"
import { type Body, faultCases } from "./cases.ts"
import { isStoreFailure, outcome } from "./outcomes.ts"
import { inTurn } from "./programs.ts"
import { addPet, givenCategory, givenPet, newEvent, reserveUnits } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"
import { readLog } from "./watching.ts"

const failedAsStore = (exit: Exit.Exit<unknown, unknown>): void =>
  assertTrue(isStoreFailure(exit), `it is a failure of the store that left nothing, not ${outcome(exit)}`)

/** Makes the next transaction of a store fail, in one way or the other. */
type Arm = (store: TestedStore) => Effect.Effect<void>

/** What holds however a transaction fails. */
const either: Readonly<Record<string, Body<Arm>>> = {
  *"a transaction that fails returns a typed error, changes nothing, and the next one works"(store, arm) {
    yield* givenOneOfEach(store)
    const before = yield* allRows(store)
    yield* arm(store)
    failedAsStore(yield* Effect.exit(store.run((tx) => addOneOfEach(tx, 2))))
    assertEqual(yield* allRows(store), before)
    yield* store.ready
    yield* store.run((tx) => addOneOfEach(tx, 2))
    const log = yield* readLog(store, 2)
    assertEqual([log[0]?.seq, log[1]?.seq], [1, 2])
    for (const [kind, rows] of Object.entries(yield* allRows(store)))
      assertEqual(rows.length, 2, `the number of ${kind}`)
    assertEqual(yield* store.inspect, [])
  },

  *"if one of many concurrent transactions fails, exactly those that succeeded are committed"(store, arm) {
    const categoryId = yield* givenCategory(store)
    yield* arm(store)
    const exits = yield* atOnce(30, (index) =>
      Effect.exit(
        store.run((tx) =>
          inTurn(addPet(tx, categoryId, { name: `Rex ${index}` }), tx.events.append(newEvent(index + 1)))
        )
      )
    )
    assertTrue(exits.some(Exit.isFailure), "at least one fails")
    for (const exit of exits) if (Exit.isFailure(exit)) failedAsStore(exit)
    const done = exits.flatMap((exit, index) => (Exit.isSuccess(exit) ? [index] : []))
    const names = (yield* store.pets.scan([], 1_000)).map(({ name }) => name)
    assertEqual(names.sort(), done.map((index) => `Rex ${index}`).sort())
    const events = yield* readLog(store, done.length)
    const seqs = events.map(({ seq }) => seq)
    assertEqual(
      seqs,
      [...done.keys()].map((place) => place + 1)
    )
    assertEqual(new Set(events.map(({ id }) => id)), new Set(done.map((index) => `evt_${index + 1}`)))
  },

  *"no transaction is rejected because of a change of another one that failed"(store, arm) {
    const id = yield* givenPet(store)
    const categoryId = yield* givenCategory(store, "Cats")
    yield* arm(store)
    const exits = yield* atOnce(4, (index) =>
      Effect.exit(index === 2 ? store.run((tx) => addPet(tx, categoryId)) : store.run((tx) => reserveUnits(tx, id)))
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
    yield* Effect.exit(store.run((tx) => reserveUnits(tx, id)))
    assertEqual((yield* store.pets.find(id))?.stock.reserved, 1)
  },

  *"no transaction beside one that fails succeeds with what was not committed"(store, arm) {
    const id = yield* givenPet(store)
    yield* arm(store)
    const reserve = Effect.exit(store.run((tx) => reserveUnits(tx, id)))
    const look = store.run(function* (tx) {
      return (yield* tx.pets.lock(id))?.stock.reserved
    })
    const looks = atOnce(3, () => Effect.exit(look))
    const [exit, seen] = yield* Effect.all([reserve, looks], { concurrency: "unbounded" })
    const reserved = (yield* store.pets.find(id))?.stock.reserved
    assertEqual(reserved, Exit.isSuccess(exit) ? 1 : 0, "the units that are reserved")
    for (const one of seen) {
      if (Exit.isSuccess(one)) assertTrue((one.value ?? 0) <= (reserved ?? 0), `${one.value} units are reserved`)
      else failedAsStore(one)
    }
  }
}

export const commitFailureCases = faultCases("storage: failures at COMMIT", "failNextCommit", {
  ...either,

  *"a store whose commits fail is not ready, and is ready once they succeed again"(store, arm) {
    const categoryId = yield* givenCategory(store)
    yield* store.ready
    yield* arm(store)
    yield* Effect.exit(store.run((tx) => addPet(tx, categoryId)))
    yield* arm(store)
    const [first] = yield* atOnce(2, () => Effect.exit(store.ready))
    failedAsStore(first ?? Exit.void)
    yield* store.ready
    yield* store.run((tx) => addPet(tx, categoryId))
  }
})

export const lostTransactionCases = faultCases("storage: lost transactions", "loseNextTransaction", {
  ...either,

  *"a transaction that a full disk has ended fails with storage_full, and what was committed can be read"(store, arm) {
    yield* givenOneOfEach(store)
    const before = yield* allRows(store)
    yield* arm(store)
    assertEqual(outcome(yield* Effect.exit(store.run((tx) => addOneOfEach(tx, 2)))), "StorageFull", "the failure")
    assertEqual(yield* allRows(store), before)
  }
})
