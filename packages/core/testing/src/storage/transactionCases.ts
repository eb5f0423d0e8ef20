import type { PetRecord } from "@petstore/core/tables"
import { categoriesByName } from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { diedClearly, outcome } from "./outcomes.ts"
import { addPet, givenCategory, givenPet, newCategory, newMovement } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"
import { untilLatest } from "./watching.ts"

class Host extends Context.Service<Host, { readonly name: string }>()("@petstore/testing/Host") {}

const petNames = (store: TestedStore) => Effect.map(store.pets.scan([], 100), (pets) => pets.map(({ name }) => name))

/** Changes something of every kind that can change. */
const changeEverything = (store: TestedStore) =>
  Effect.gen(function* () {
    for (const record of yield* store.categories.scan([], 100)) {
      yield* store.categories.save({ ...record, nameKey: `other ${record.nameKey}`, version: record.version + 1 })
    }
    for (const pet of yield* store.pets.scan([], 100)) {
      yield* store.movements.insert(newMovement(pet.id, pet.lastMovement + 1))
      yield* store.pets.save({ ...pet, name: "Other", stock: { onHand: 9, reserved: 1, held: true }, lastMovement: 2 })
    }
    for (const record of yield* store.orders.scan([], 100)) {
      yield* store.orders.save({ ...record, order: { ...record.order, state: "cancelled" }, version: 2 })
    }
    for (const record of yield* store.apiKeys.scan([], 100)) {
      yield* store.apiKeys.save({ ...record, revoked: true })
    }
    yield* store.idempotency.purge("9999-12-31T23:59:59.999Z", 100)
    yield* addOneOfEach(store, 2)
  })

const waits: Readonly<Record<string, Effect.Effect<unknown, string>>> = {
  "a timer": Effect.sleep("1 hour"),
  "a promise": Effect.promise(() => Promise.resolve()),
  "something that never happens": Effect.never,
  "the time to try again": Effect.retry(Effect.fail("not yet"), Schedule.spaced("1 minute"))
}

export const transactionCases = storageCases("storage: transactions", {
  "a body that succeeds returns its value, and its changes are committed": (store) =>
    Effect.gen(function* () {
      const id = yield* store.transact(Effect.map(addOneOfEach(store, 1), (petId) => ({ petId })))
      yield* untilLatest(store, 1)
      const found = yield* allRows(store)
      assertEqual(
        found.pets.map((pet) => pet.id),
        [id.petId]
      )
      for (const [kind, rows] of Object.entries(found)) assertEqual(rows.length, 1, `the number of ${kind}`)
      assertEqual(yield* store.transact(Effect.succeed(undefined)), undefined)
    }),

  "a body runs with the services of its caller": (store) =>
    Effect.gen(function* () {
      const named = Effect.flatMap(Host, ({ name }) => Effect.as(store.categories.insert(newCategory(name)), name))
      assertEqual(yield* Effect.provideService(store.transact(named), Host, { name: "Zoo" }), "Zoo")
      assertEqual((yield* store.select(categoriesByName, "zoo", 1))[0]?.category.name, "Zoo")
    }),

  "a body that dies returns its defect, and its changes are rolled back": (store) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const before = yield* allRows(store)
      const died = Effect.andThen(changeEverything(store), Effect.die(new Error("a defect")))
      diedClearly(yield* Effect.exit(store.transact(died)), /a defect/)
      const threw = Effect.map(changeEverything(store), () => {
        throw new Error("thrown")
      })
      diedClearly(yield* Effect.exit(store.transact(threw)), /thrown/)
      assertEqual(yield* allRows(store), before)
    }),

  "a body that interrupts itself is rolled back": (store) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const before = yield* allRows(store)
      const fiber = yield* Effect.forkChild(store.transact(Effect.andThen(changeEverything(store), Effect.interrupt)))
      assertEqual(outcome(yield* Fiber.await(fiber)), "interrupted")
      assertEqual(yield* allRows(store), before)
    }),

  "a body may do 5,000 operations": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const pets = yield* store.transact(
        Effect.gen(function* () {
          for (let n = 1; n <= 2_500; n++) yield* addPet(store, categoryId, { name: `Rex ${n}` })
          return yield* store.pets.scan([], 10_000)
        })
      )
      assertEqual(pets.length, 2_500)
      assertEqual((yield* store.pets.scan([pets[2_399]?.id], 10_000)).length, 100)
    }),

  "a body may run parts of it concurrently, yield, fork and join, and have a deadline": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const add = (name: string) => addPet(store, categoryId, { name })
      yield* store.transact(
        Effect.gen(function* () {
          yield* Effect.all([add("a"), Effect.andThen(Effect.yieldNow, add("b")), add("c")], {
            concurrency: "unbounded"
          })
          const fiber = yield* Effect.forkChild(Effect.andThen(Effect.yieldNow, add("d")))
          yield* Effect.yieldNow
          yield* Fiber.join(fiber)
          yield* Effect.timeout(add("e"), "1 minute")
          const steady = Effect.forEach(Array.from({ length: 3_000 }), () => Effect.yieldNow, { discard: true })
          yield* Effect.timeout(Effect.andThen(steady, add("f")), "1 minute")
        })
      )
      assertEqual((yield* petNames(store)).sort(), ["a", "b", "c", "d", "e", "f"])
    }),

  "a fiber that a body has forked and not joined ends with the body": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const gate = yield* Deferred.make<void>()
      const part = yield* store.transact(
        Effect.forkChild(Effect.andThen(Deferred.await(gate), addPet(store, categoryId)), { startImmediately: true })
      )
      yield* Deferred.succeed(gate, undefined)
      assertEqual(outcome(yield* Fiber.await(part)), "interrupted")
      assertEqual(yield* petNames(store), [])
    }),

  "a body that waits for anything but the store dies alone, and concurrent ones commit": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      for (const [what, wait] of Object.entries(waits)) {
        const body = (name: string, between: Effect.Effect<unknown, string>) =>
          store.transact(
            Effect.gen(function* () {
              yield* addPet(store, categoryId, { name: `${name} before` })
              yield* between
              yield* addPet(store, categoryId, { name: `${name} after` })
            })
          )
        const before = yield* petNames(store)
        const exits = yield* Effect.all(
          [body("first", Effect.void), body("waiting", wait), body("last", Effect.void)].map(Effect.exit),
          { concurrency: "unbounded" }
        )
        assertEqual(exits.map(outcome), ["ok", "died", "ok"], `how bodies end of which one waits for ${what}`)
        diedClearly(exits[1] ?? Exit.void, /wait/)
        const expected = [...before, "first before", "first after", "last before", "last after"]
        // With many writers, ids need not follow the order in which the transactions were asked for.
        assertEqual((yield* petNames(store)).sort(), expected.sort(), `who is there after a body waited for ${what}`)
      }
    }),

  "many transactions at once all commit": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const ids = yield* Effect.forEach(
        Array.from({ length: 300 }, (_, index) => index),
        (index) => store.transact(addPet(store, categoryId, { name: `Rex ${index}` })),
        { concurrency: "unbounded" }
      )
      assertEqual(new Set(ids).size, 300)
      const pets: ReadonlyArray<PetRecord> = yield* store.pets.scan([], 1_000)
      assertEqual(pets.length, 300)
      for (const [index, id] of ids.entries()) assertEqual(pets.find((pet) => pet.id === id)?.name, `Rex ${index}`)
    }),

  "of concurrent transactions that end in every way, exactly those that succeeded are committed": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const ends = [Effect.void, Effect.fail("no"), Effect.die("no"), Effect.sleep("1 hour"), Effect.interrupt]
      const exits = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => index),
        (index) =>
          Effect.flatMap(
            Effect.forkChild(
              store.transact(
                Effect.andThen(
                  addPet(store, categoryId, { name: `Rex ${index}` }),
                  ends[index % ends.length] ?? Effect.void
                )
              )
            ),
            Fiber.await
          ),
        { concurrency: "unbounded" }
      )
      assertEqual(exits.slice(0, 5).map(outcome), ["ok", "failed", "died", "died", "interrupted"])
      const expected = exits.flatMap((exit, index) => (Exit.isSuccess(exit) ? [`Rex ${index}`] : []))
      assertEqual((yield* petNames(store)).sort(), expected.sort())
    }),

  "a transaction without any operation succeeds, and one that only reads too": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      assertEqual(yield* store.transact(Effect.succeed(7)), 7)
      assertEqual((yield* store.transact(store.pets.find(id)))?.id, id)
    }),

  "a store is ready, and inspecting it after use reports no problem": (store) =>
    Effect.gen(function* () {
      yield* store.ready
      yield* givenOneOfEach(store)
      yield* Effect.exit(store.transact(Effect.andThen(changeEverything(store), Effect.fail("no"))))
      assertEqual(yield* store.inspect, [])
      yield* store.transact(changeEverything(store))
      assertEqual(yield* store.inspect, [])
      yield* store.ready
      assertTrue((yield* allRows(store)).pets.length === 2, "there are two pets")
    })
})
