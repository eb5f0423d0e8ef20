import { OnTransactionStart } from "@petstore/core/ports"
import { adminKeysAfter, movementsOf } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { atOnce } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { outcome } from "./outcomes.ts"
import { callStore, keepOpenUntil, pairsOf, signal } from "./overlap.ts"
import { inTurn, refuse } from "./programs.ts"
import { addPet, addUnits, givenCategory, newAccount, newApiKey, newEvent } from "./rows.ts"
import type { Part, TestedFixture, TestedStore, TestedTransaction } from "./TestedStore.ts"
import { readLog } from "./watching.ts"

const givenTwoPets = Effect.fnUntraced(function* (store: TestedStore, name = "Dogs") {
  const categoryId = yield* givenCategory(store, name)
  const left = yield* store.run((tx) => addPet(tx, categoryId))
  return [left, yield* store.run((tx) => addPet(tx, categoryId))] as const
})

/** Throws unless each of the pets has this number of units more, by one movement each. */
const checkUnits = (store: TestedStore, pets: ReadonlyArray<number>, added: number) =>
  Effect.forEach(
    pets,
    (id) =>
      Effect.gen(function* () {
        const pet = yield* store.pets.find(id)
        assertEqual([pet?.stock.onHand, pet?.lastMovement], [1 + added, 1 + added], "the units and movements of a pet")
        assertEqual(
          (yield* store.select(movementsOf, { petId: id, after: 0 }, 1_000)).length,
          1 + added,
          "the length of the ledger"
        )
      }),
    { discard: true }
  )

/**
 * Two transactions that each lock a pet, wait until the other one has locked its own, and then want that of the other. With
 * many writers one of them has to run again.
 */
const crossed = Effect.fnUntraced(function* (
  fixture: TestedFixture,
  stores: readonly [TestedStore, TestedStore],
  pets: readonly [number, number]
) {
  const held = [signal(), signal()]
  const cross = (side: 0 | 1) => {
    const store = stores[side]
    let runs = 0
    let starts = 0
    const command = function* (tx: TestedTransaction): Part<number> {
      runs++
      yield* callStore(tx)
      yield* addUnits(tx, pets[side])
      held[side]?.set()
      yield* keepOpenUntil(tx, fixture, () => held[1 - side]?.happened() === true)
      yield* addUnits(tx, pets[1 - side] ?? 0)
      yield* tx.events.append(newEvent(side + 1, `evt_${pets[side]}_${runs}`))
      return runs
    }
    const onStart = () => {
      starts++
    }
    return Effect.map(Effect.provideService(store.run(command), OnTransactionStart, onStart), (returned) => ({
      returned,
      runs,
      starts
    }))
  }
  return yield* Effect.all([cross(0), cross(1)], { concurrency: "unbounded" })
})

export const lockOrderCases = storageCases("storage: transactions that want each other's rows", {
  *"two transactions that lock two rows in opposite order both succeed, once each"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    for (const [index, stores] of pairsOf(store, another).entries()) {
      const pets = yield* givenTwoPets(store, `Category ${index}`)
      yield* crossed(fixture, stores, pets)
      yield* checkUnits(store, pets, 2)
    }
  },

  *"a command that runs again has the effect and the result of its last run, and reports each start"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    const pets = yield* givenTwoPets(store)
    const ended = yield* crossed(fixture, [store, another], pets)
    for (const { returned, runs, starts } of ended) {
      assertEqual(returned, runs, "which run the result is of")
      assertEqual(starts, runs, "how often OnTransactionStart was called")
    }
    assertEqual(
      new Set((yield* readLog(store, 2)).map(({ id }) => id)),
      new Set(ended.map(({ runs }, side) => `evt_${pets[side]}_${runs}`)),
      "the events of the last runs"
    )
  },

  *"of many transactions that lock rows in opposite order, each succeeds, or finds the store busy and changes nothing"(
    store,
    { openAnother }
  ) {
    const another = yield* openAnother(store)
    for (const [index, stores] of pairsOf(store, another).entries()) {
      const pets = yield* givenTwoPets(store, `Category ${index}`)
      const exits = yield* atOnce(12, (index) => {
        const one = stores[index % 2 === 0 ? 0 : 1]
        const [first, second] = index % 4 < 2 ? pets : [pets[1], pets[0]]
        return Effect.exit(one.run((tx) => inTurn(addUnits(tx, first), addUnits(tx, second))))
      })
      const outcomes = exits.map(outcome)
      const done = outcomes.filter((one) => one === "ok").length
      assertTrue(
        done > 0 && outcomes.every((one) => one === "ok" || one === "StorageBusy"),
        `each succeeds or finds the store busy, not ${outcomes}`
      )
      yield* checkUnits(store, pets, done)
    }
  },

  *"of two admins that revoke each other's key at the same moment, one succeeds"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    for (const [index, stores] of pairsOf(store, another).entries()) {
      const accountId = yield* store.run((tx) => tx.accounts.insert(newAccount(`Shop ${index}`)))
      const add = store.run((tx) => tx.apiKeys.insert(newApiKey(accountId, { scopes: ["admin"] })))
      const keys = [yield* add, yield* add]
      const held = [signal(), signal()]
      const exits = yield* Effect.forEach(
        stores,
        (one, side) =>
          Effect.exit(
            one.run(function* (tx) {
              const record = yield* tx.apiKeys.lock(keys[side] ?? 0)
              if (record === undefined) throw new Error("The key is gone")
              held[side]?.set()
              yield* keepOpenUntil(tx, fixture, () => held[1 - side]?.happened() === true)
              if ((yield* tx.select(adminKeysAfter, 0, 2)).length < 2) yield* refuse()
              yield* tx.apiKeys.save({ ...record, revoked: true })
            })
          ),
        { concurrency: "unbounded" }
      )
      assertEqual(exits.map(outcome).sort(), ["failed", "ok"], "how they ended: one because it is the last")
      const [last] = yield* store.select(adminKeysAfter, 0, 10)
      assertTrue(last !== undefined, "there is a last key")
      if (last !== undefined) yield* store.run((tx) => tx.apiKeys.save({ ...last, revoked: true }))
    }
  }
})
