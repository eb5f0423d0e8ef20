import { petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual, assertTrue } from "../check.ts"
import { storageCases } from "./cases.ts"
import { outcome } from "./outcomes.ts"
import { inTurn } from "./programs.ts"
import { addPet, givenCategory } from "./rows.ts"
import type { TestedStore, TestedTransaction } from "./TestedStore.ts"

/** Two pets of one name, in one transaction: both are there or none is. */
const addPair = (tx: TestedTransaction, categoryId: number, name: string) =>
  inTurn(addPet(tx, categoryId, { name }), addPet(tx, categoryId, { name }))

const count = (store: TestedStore, name: string) =>
  Effect.map(store.select(petsBy, { name, after: 0 }, 10), (pets) => pets.length)

export const interruptionCases = storageCases("storage: interruption", {
  *"a transaction that is interrupted before its command runs changes nothing"(store) {
    const categoryId = yield* givenCategory(store)
    let ran = false
    const pair = function* (tx: TestedTransaction) {
      ran = true
      yield* addPair(tx, categoryId, "Rex")
    }
    const fiber = yield* Effect.forkChild(store.run(pair), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    const ranBefore = ran
    const ended = outcome(yield* Fiber.await(fiber))
    assertTrue(
      ended === "interrupted" || (ended === "ok" && ranBefore),
      `a caller whose command ${ranBefore ? "ran" : "did not run"} does not end as ${ended}`
    )
    assertEqual(yield* count(store, "Rex"), ranBefore ? 2 : 0, "how many are there")
    yield* store.run((tx) => addPair(tx, categoryId, "Max"))
    assertEqual(yield* count(store, "Max"), 2)
    assertEqual(ran, ranBefore, "whether the command ran, asked later")
    assertEqual(yield* count(store, "Rex"), ranBefore ? 2 : 0, "how many are there later")
  },

  *"a transaction whose caller is interrupted after its command ran is committed or rolled back before the caller ends"(
    store
  ) {
    const categoryId = yield* givenCategory(store)
    const caller = yield* Effect.forkChild(
      Effect.withFiber((self) =>
        store.run(function* (tx) {
          yield* addPair(tx, categoryId, "Rex")
          self.interruptUnsafe()
        })
      )
    )
    yield* Fiber.await(caller)
    const there = yield* count(store, "Rex")
    assertTrue(there === 0 || there === 2, `both are there or none, not ${there}`)
    yield* store.run((tx) => addPair(tx, categoryId, "Max"))
    assertEqual(yield* count(store, "Rex"), there, "how many are there later")
  },

  *"interrupting one of many transactions does not affect the others"(store) {
    const categoryId = yield* givenCategory(store)
    const fibers = yield* Effect.forEach(
      Array.from({ length: 40 }, (_, index) => `Rex ${String(index).padStart(2, "0")}`),
      (name) =>
        Effect.map(
          Effect.forkChild(
            store.run((tx) => addPair(tx, categoryId, name)),
            { startImmediately: true }
          ),
          (fiber) => ({ name, fiber })
        )
    )
    const [left, interrupted] = [
      fibers.filter((_, index) => index % 3 > 0),
      fibers.filter((_, index) => index % 3 === 0)
    ]
    yield* Fiber.interruptAll(interrupted.map(({ fiber }) => fiber))
    const atTheirEnd = yield* Effect.forEach(interrupted, ({ name }) => count(store, name))
    for (const { name, fiber } of left) {
      assertEqual(outcome(yield* Fiber.await(fiber)), "ok", `how ${name} ended`)
      assertEqual(yield* count(store, name), 2, `how many ${name} are there`)
    }
    for (const [index, { name, fiber }] of interrupted.entries()) {
      const done = outcome(yield* Fiber.await(fiber)) === "ok"
      const there = yield* count(store, name)
      assertTrue(there === 2 || (there === 0 && !done), `of ${name} both are there or none, not ${there}`)
      assertEqual(there, atTheirEnd[index], `how many ${name} are there later`)
    }
  },

  *"transactions that are interrupted at any moment are committed or rolled back as a whole, and the store keeps working"(
    store
  ) {
    const categoryId = yield* givenCategory(store)
    const names = Array.from({ length: 30 }, (_, index) => `Rex ${String(index).padStart(2, "0")}`)
    const atTheirEnd = yield* Effect.forEach(
      names,
      (name, index) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(store.run((tx) => addPair(tx, categoryId, name)))
          yield* Effect.forEach(Array.from({ length: index % 6 }), () => Effect.yieldNow, { discard: true })
          yield* Fiber.interrupt(fiber)
          const there = yield* count(store, name)
          assertTrue(there === 0 || there === 2, `of ${name} both are there or none, not ${there}`)
          return there
        }),
      { concurrency: "unbounded" }
    )
    yield* store.run((tx) => addPair(tx, categoryId, "Max"))
    assertEqual(yield* count(store, "Max"), 2)
    assertEqual(yield* Effect.forEach(names, (name) => count(store, name)), atTheirEnd, "how many are there later")
    assertEqual(yield* store.inspect, [])
  }
})
