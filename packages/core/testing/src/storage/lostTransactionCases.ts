import { petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { faultCases } from "./cases.ts"
import { isStoreFailure, outcome } from "./outcomes.ts"
import { addPet, givenCategory, givenPet, newEvent, newMovement, reserveUnits } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"
import { readLog } from "./watching.ts"

const names = (store: TestedStore) => Effect.map(store.pets.scan([], 1_000), (pets) => pets.map(({ name }) => name))

const failedAsStore = (exit: Exit.Exit<unknown, unknown>): void =>
  assertTrue(isStoreFailure(exit), `it is a failure of the store that left nothing, not ${outcome(exit)}`)

export const lostTransactionCases = faultCases("storage: lost transactions", {
  "a transaction that is lost returns a typed error, changes nothing, and the next one works": (
    store,
    { loseNextTransaction }
  ) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const before = yield* allRows(store)
      const body = Effect.gen(function* () {
        yield* addOneOfEach(store, 2)
        yield* loseNextTransaction(store)
        yield* addOneOfEach(store, 3)
      })
      failedAsStore(yield* Effect.exit(store.transact(body)))
      assertEqual(yield* allRows(store), before)
      yield* store.transact(addOneOfEach(store, 2))
      assertEqual(
        (yield* allRows(store)).events.map(({ seq }) => seq),
        [1, 2]
      )
      assertEqual(yield* store.inspect, [])
    }),

  "a body that ignores the loss of its transaction cannot write, and does not succeed": (
    store,
    { loseNextTransaction }
  ) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const body = Effect.gen(function* () {
        yield* addPet(store, categoryId, { name: "before" })
        yield* loseNextTransaction(store)
        const lost = yield* Effect.exit(addPet(store, categoryId, { name: "lost" }))
        const after = yield* Effect.exit(addPet(store, categoryId, { name: "after" }))
        const read = yield* Effect.exit(store.pets.scan([], 10))
        return [lost, after, read].map(outcome)
      })
      failedAsStore(yield* Effect.exit(store.transact(body)))
      assertEqual(yield* names(store), [])
    }),

  "a body that fails for another reason after its transaction was lost changes nothing": (
    store,
    { loseNextTransaction }
  ) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const body = Effect.gen(function* () {
        yield* addPet(store, categoryId, { name: "before" })
        yield* loseNextTransaction(store)
        yield* Effect.exit(addPet(store, categoryId, { name: "lost" }))
        return yield* Effect.fail("no")
      })
      assertTrue(Exit.isFailure(yield* Effect.exit(store.transact(body))), "it fails")
      assertEqual(yield* names(store), [])
      yield* store.transact(addPet(store, categoryId, { name: "next" }))
      assertEqual(yield* names(store), ["next"])
    }),

  "an inner transaction that is lost rolls back the outer one, even if that catches the error": (
    store,
    { loseNextTransaction }
  ) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const body = Effect.gen(function* () {
        yield* addPet(store, categoryId, { name: "outer" })
        const inner = Effect.andThen(loseNextTransaction(store), addPet(store, categoryId, { name: "inner" }))
        yield* Effect.exit(store.transact(inner))
        yield* Effect.exit(addPet(store, categoryId, { name: "after" }))
        yield* Effect.exit(store.transact(addPet(store, categoryId, { name: "second inner" })))
      })
      failedAsStore(yield* Effect.exit(store.transact(body)))
      assertEqual(yield* names(store), [])
    }),

  "if one of many concurrent transactions is lost, exactly those that succeeded are committed": (
    store,
    { loseNextTransaction }
  ) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const exits = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        (index) =>
          Effect.exit(
            store.transact(
              Effect.gen(function* () {
                yield* addPet(store, categoryId, { name: `Rex ${index}` })
                if (index === 12) yield* loseNextTransaction(store)
                yield* store.events.append(newEvent(index + 1))
              })
            )
          ),
        { concurrency: "unbounded" }
      )
      failedAsStore(exits[12] ?? Exit.void)
      for (const exit of exits) if (Exit.isFailure(exit)) failedAsStore(exit)
      const done = exits.flatMap((exit, index) => (Exit.isSuccess(exit) ? [index] : []))
      assertEqual((yield* names(store)).sort(), done.map((index) => `Rex ${index}`).sort())
      const events = yield* readLog(store, done.length)
      assertEqual(
        events.map(({ seq }) => seq),
        done.map((_, place) => place + 1)
      )
      assertEqual(new Set(events.map(({ id }) => id)), new Set(done.map((index) => `evt_${index + 1}`)))
      yield* store.transact(addPet(store, categoryId, { name: "next" }))
      assertEqual((yield* names(store)).length, done.length + 1)
    }),

  "no transaction is rejected because of a change of another one that was lost": (store, { loseNextTransaction }) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const categoryId = yield* givenCategory(store, "Cats")
      const members = [
        store.transact(reserveUnits(store, id)),
        store.transact(reserveUnits(store, id)),
        store.transact(
          Effect.flatMap(addPet(store, categoryId), (petId) =>
            // The next write is this one, whatever others do meanwhile.
            Effect.andThen(loseNextTransaction(store), Effect.as(store.movements.insert(newMovement(petId, 2)), petId))
          )
        ),
        store.transact(reserveUnits(store, id))
      ]
      const exits = yield* Effect.all(members.map(Effect.exit), { concurrency: "unbounded" })
      const outcomes = exits.map(outcome)
      const reserved = (yield* store.pets.find(id))?.stock.reserved
      assertEqual(reserved, [0, 1, 3].filter((index) => outcomes[index] === "ok").length, "the units that are reserved")
      assertTrue(
        reserved === 1 || !outcomes.includes("InsufficientStock"),
        `no reservation fails for lack of units while there is one: ${outcomes}`
      )
      assertEqual((yield* store.select(petsBy, { categoryId, after: 0 }, 10)).length, 0)
    })
})
