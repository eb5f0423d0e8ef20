import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { diedClearly } from "./outcomes.ts"
import { addPet, givenCategory, givenPet, lockPet, newMovement } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const yields = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

const onHand = (units: number) => ({ stock: { onHand: units, reserved: 0, held: false } })

/** Moves a unit from one pet to another, so that the sum stays. */
const move = (store: TestedStore, from: number, to: number) =>
  store.run(function* (tx) {
    for (const [id, delta] of [
      [from, -1],
      [to, 1]
    ] as const) {
      const pet = yield* lockPet(tx, id)
      const seq = pet.lastMovement + 1
      yield* tx.movements.insert({ ...newMovement(id, seq), deltaOnHand: delta })
      yield* tx.pets.save({ ...pet, stock: { ...pet.stock, onHand: pet.stock.onHand + delta }, lastMovement: seq })
    }
  })

export const snapshotCases = storageCases("storage: snapshots", {
  "a snapshot returns the value or the error of its body": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      assertEqual((yield* store.snapshot(store.pets.find(id)))?.id, id)
      assertEqual(yield* Effect.flip(store.snapshot(Effect.andThen(store.pets.find(id), Effect.fail("no")))), "no")
      diedClearly(yield* Effect.exit(store.snapshot(Effect.die(new Error("a defect")))), /a defect/)
      assertEqual((yield* store.snapshot(store.pets.find(id)))?.id, id)
    }),

  "all reads of a snapshot are of one moment, while others commit": (store, { openAnother }) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const another = yield* openAnother(store)
      const writer = yield* Effect.forkChild(
        Effect.forEach(
          [2, 3, 4, 5],
          (n) => {
            const one = n % 2 === 0 ? store : another
            return Effect.andThen(
              one.run((tx) => addOneOfEach(tx, n)),
              Effect.yieldNow
            )
          },
          { discard: true }
        )
      )
      yield* store.snapshot(
        Effect.gen(function* () {
          const first = yield* allRows(store)
          for (let n = 0; n < 10; n++) {
            yield* yields
            assertEqual(yield* allRows(store), first, "what a snapshot reads later")
          }
        })
      )
      yield* Fiber.join(writer)
      assertEqual((yield* allRows(store)).pets.length, 5)
      assertEqual((yield* store.snapshot(allRows(store))).pets.length, 5)
    }),

  "a fiber that a snapshot resumes does not write into it": (store) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const gate = yield* Deferred.make<void>()
      const writer = yield* Effect.forkChild(
        Effect.andThen(
          Deferred.await(gate),
          store.run((tx) => addOneOfEach(tx, 2))
        ),
        { startImmediately: true }
      )
      yield* store.snapshot(
        Effect.gen(function* () {
          const first = yield* allRows(store)
          yield* Deferred.succeed(gate, undefined)
          yield* yields
          assertEqual(yield* allRows(store), first, "what the snapshot reads later")
        })
      )
      yield* Fiber.join(writer)
      assertEqual((yield* allRows(store)).pets.length, 2)
    }),

  "a nested snapshot shows the same moment, and the outer one continues to": (store) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const gate = yield* Deferred.make<void>()
      const writer = yield* Effect.forkChild(
        Effect.andThen(
          Deferred.await(gate),
          store.run((tx) => addOneOfEach(tx, 2))
        ),
        { startImmediately: true }
      )
      yield* store.snapshot(
        Effect.gen(function* () {
          const first = yield* allRows(store)
          assertEqual(yield* store.snapshot(allRows(store)), first, "what the inner snapshot reads")
          yield* Deferred.succeed(gate, undefined)
          yield* yields
          assertEqual(yield* store.snapshot(allRows(store)), first, "what a later inner snapshot reads")
          assertEqual(yield* allRows(store), first, "what the snapshot reads later")
        })
      )
      yield* Fiber.join(writer)
      assertEqual((yield* allRows(store)).pets.length, 2)
    }),

  "units that move between two rows are in every snapshot once": (store, { openAnother }) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const a = yield* store.run((tx) => addPet(tx, categoryId, onHand(20)))
      const b = yield* store.run((tx) => addPet(tx, categoryId, onHand(20)))
      const another = yield* openAnother(store)
      let done = false
      const moves = Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => Effect.andThen(index % 3 === 0 ? move(another, b, a) : move(store, a, b), Effect.yieldNow),
        { discard: true }
      )
      const sums: Array<number> = []
      const look = (one: TestedStore) =>
        Effect.gen(function* () {
          while (!done) {
            const snapshot = Effect.gen(function* () {
              const first = yield* one.pets.find(a)
              yield* Effect.yieldNow
              const second = yield* one.pets.find(b)
              return (first?.stock.onHand ?? 0) + (second?.stock.onHand ?? 0)
            })
            sums.push(yield* one.snapshot(snapshot))
            yield* Effect.yieldNow
          }
        })
      const finish = Effect.ensuring(
        moves,
        Effect.sync(() => {
          done = true
        })
      )
      yield* Effect.all([finish, look(store), look(another)], { concurrency: "unbounded" })
      assertTrue(sums.length > 0, "there was a snapshot")
      assertEqual([...new Set(sums)], [40], "the sums seen")
    }),

  "concurrent snapshots block neither each other nor writers": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const counts = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        (index) =>
          index % 3 === 0
            ? store.run((tx) => addPet(tx, categoryId))
            : store.snapshot(
                Effect.gen(function* () {
                  const before = (yield* store.pets.scan([], 100)).length
                  yield* yields
                  assertEqual((yield* store.pets.scan([], 100)).length, before)
                  return before
                })
              ),
        { concurrency: "unbounded" }
      )
      assertEqual(counts.length, 30)
      assertEqual((yield* store.pets.scan([], 100)).length, 10)
    })
})
