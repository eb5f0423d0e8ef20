import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { atOnce, readBeside, upTo } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { diedClearly } from "./outcomes.ts"
import { inTurn } from "./programs.ts"
import { addPet, addUnits, givenCategory, givenPet } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const yields = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

const onHand = (units: number) => ({ stock: { onHand: units, reserved: 0, held: false } })

/** Moves a unit from one pet to another, so that the sum stays. */
const move = (store: TestedStore, from: number, to: number) =>
  store.run((tx) => inTurn(addUnits(tx, from, -1), addUnits(tx, to, 1)))

/** Transactions of two stores that begin when the gate opens, as a snapshot may open it. */
const writersBehindGate = Effect.fnUntraced(function* (store: TestedStore, another: TestedStore) {
  const gate = yield* Deferred.make<void>()
  const writes = [store.run((tx) => addOneOfEach(tx, 2)), another.run((tx) => addOneOfEach(tx, 3))]
  const writer = yield* Effect.forkChild(Effect.andThen(Deferred.await(gate), Effect.all(writes)), {
    startImmediately: true
  })
  return { open: Deferred.succeed(gate, undefined), join: Fiber.join(writer) }
})

export const snapshotCases = storageCases("storage: snapshots", {
  *"a snapshot returns the value or the error of its body"(store) {
    const id = yield* givenPet(store)
    assertEqual((yield* store.snapshot(store.pets.find(id)))?.id, id)
    assertEqual(yield* Effect.flip(store.snapshot(Effect.andThen(store.pets.find(id), Effect.fail("no")))), "no")
    diedClearly(yield* Effect.exit(store.snapshot(Effect.die(new Error("a defect")))), /a defect/)
    assertEqual((yield* store.snapshot(store.pets.find(id)))?.id, id)
  },

  *"all reads of a snapshot are of one moment, those of nested ones too, while others commit"(store, { openAnother }) {
    yield* givenOneOfEach(store)
    const { join, open } = yield* writersBehindGate(store, yield* openAnother(store))
    yield* store.snapshot(
      Effect.gen(function* () {
        const first = yield* allRows(store)
        assertEqual(yield* store.snapshot(allRows(store)), first, "what an inner snapshot reads")
        yield* open
        for (let n = 0; n < 10; n++) {
          yield* yields
          assertEqual(yield* allRows(store), first, "what the snapshot reads later")
        }
        assertEqual(yield* store.snapshot(allRows(store)), first, "what a later inner snapshot reads")
        assertEqual(yield* allRows(store), first, "what the snapshot reads behind it")
      })
    )
    yield* join
    for (const read of [allRows(store), store.snapshot(allRows(store))]) assertEqual((yield* read).pets.length, 3)
  },

  *"units that move between two rows are in every snapshot once"(store, { openAnother }) {
    const categoryId = yield* givenCategory(store)
    const a = yield* store.run((tx) => addPet(tx, categoryId, onHand(20)))
    const b = yield* store.run((tx) => addPet(tx, categoryId, onHand(20)))
    const another = yield* openAnother(store)
    const moves = Effect.forEach(upTo(20), (n) =>
      Effect.andThen(n % 3 === 0 ? move(another, b, a) : move(store, a, b), Effect.yieldNow)
    )
    const sums: Array<number> = []
    const look = Effect.fnUntraced(function* (one: TestedStore) {
      const snapshot = Effect.gen(function* () {
        const first = yield* one.pets.find(a)
        yield* Effect.yieldNow
        const second = yield* one.pets.find(b)
        return (first?.stock.onHand ?? 0) + (second?.stock.onHand ?? 0)
      })
      sums.push(yield* one.snapshot(snapshot))
    })
    yield* readBeside(moves, look(store), look(another))
    assertTrue(sums.length > 0, "there was a snapshot")
    assertEqual([...new Set(sums)], [40], "the sums seen")
  },

  *"concurrent snapshots block neither each other nor writers"(store) {
    const categoryId = yield* givenCategory(store)
    const counts = yield* atOnce(30, (index) =>
      index % 3 === 0
        ? store.run((tx) => addPet(tx, categoryId))
        : store.snapshot(
            Effect.gen(function* () {
              const before = (yield* store.pets.scan([], 100)).length
              yield* yields
              assertEqual((yield* store.pets.scan([], 100)).length, before)
              return before
            })
          )
    )
    assertEqual(counts.length, 30)
    assertEqual((yield* store.pets.scan([], 100)).length, 10)
  }
})

export const wholeStoreCases = storageCases("storage: reading a whole store", {
  *"a long snapshot, and the inspection in it, show one moment while others commit"(store, { openAnother }) {
    yield* givenOneOfEach(store)
    const { join, open } = yield* writersBehindGate(store, yield* openAnother(store))
    const detached = store.detachedSnapshot ?? store.snapshot
    yield* detached(
      Effect.gen(function* () {
        const first = yield* allRows(store)
        yield* open
        yield* yields
        assertEqual(yield* allRows(store), first, "what the snapshot reads later")
        assertEqual(yield* store.inspect, [])
      })
    )
    yield* join
    assertEqual((yield* detached(allRows(store))).pets.length, 3)
    assertEqual(yield* Effect.flip(detached(Effect.andThen(store.pets.find(1), Effect.fail("no")))), "no")
  }
})
