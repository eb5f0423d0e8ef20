import type { CheckpointRecord } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { atOnce, upTo } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { wasRefused } from "./outcomes.ts"
import { inTurn, refuse } from "./programs.ts"
import { newConsumer, newEvent } from "./rows.ts"
import type { TestedStore, TestedTransaction } from "./TestedStore.ts"
import { untilLatest } from "./watching.ts"

const record = (subject: string, seq = 1, state = "{}"): CheckpointRecord => ({ subject, seq, state })

/** A log of a number of events, each with its number. */
const givenEvents = Effect.fnUntraced(function* (store: TestedStore, count: number) {
  for (let n = 1; n <= count; n++) yield* store.run((tx) => tx.events.append(newEvent(n)))
  yield* untilLatest(store, count)
})

const trimIn = function* (tx: TestedTransaction, through: number, allowed = through) {
  yield* tx.checkpoints.save(record("log", allowed))
  yield* tx.events.trim(through)
}

const trim = (store: TestedStore, through: number, allowed = through) => store.run((tx) => trimIn(tx, through, allowed))

const numbers = (store: TestedStore) => Effect.map(store.events.scan(0, 1000), (all) => all.map(({ seq }) => seq))

export const checkpointCases = storageCases("storage: checkpoints and removed events", {
  *"of many transactions at once, on two stores, each finds the row that the one before has saved"(
    store,
    { openAnother }
  ) {
    const another = yield* openAnother(store)
    const add = (one: TestedStore) =>
      one.run(function* (tx) {
        const seq = ((yield* tx.checkpoints.lock("log"))?.seq ?? 0) + 1
        yield* tx.checkpoints.save(record("log", seq))
        return seq
      })
    const rows = yield* atOnce(20, (index) => add(index % 2 === 0 ? store : another))
    assertEqual(
      [...rows].sort((a, b) => a - b),
      upTo(20)
    )
  },

  *"events are removed up to a number, the others stay, and new ones follow them"(store, { openAnother }) {
    yield* givenEvents(store, 5)
    yield* trim(store, 3)
    const another = yield* openAnother(store)
    for (const one of [store, another]) {
      assertEqual(yield* numbers(one), [4, 5])
      assertEqual(
        (yield* one.events.scan(1, 1)).map(({ seq }) => seq),
        [4]
      )
      assertEqual(yield* one.events.latest, 5)
      assertEqual(yield* one.events.find([5, 3, 4, 7, 0]), yield* one.events.scan(3, 9), "the events by their numbers")
      assertEqual(yield* one.events.find([]), [])
    }
    yield* another.run((tx) => tx.events.append(newEvent(6)))
    yield* untilLatest(store, 6)
    assertEqual(yield* numbers(store), [4, 5, 6])
    yield* trim(store, 4)
    assertEqual(yield* numbers(another), [5, 6])
  },

  *"a removal of events that is rolled back removes none"(store) {
    yield* givenEvents(store, 4)
    yield* trim(store, 1)
    yield* Effect.exit(store.run((tx) => inTurn(trimIn(tx, 3), refuse())))
    assertEqual(yield* numbers(store), [2, 3, 4])
    assertEqual((yield* store.checkpoints.find("log"))?.seq, 1)
  },

  *"the last event is never removed"(store) {
    yield* givenEvents(store, 3)
    yield* trim(store, 9)
    assertEqual([yield* numbers(store), yield* store.events.latest], [[3], 3])
    yield* store.run((tx) => tx.events.append(newEvent(4)))
    yield* untilLatest(store, 4)
    assertEqual(yield* numbers(store), [3, 4])
  },

  *"events after the number of the checkpoint of the log are not removed"(store) {
    yield* givenEvents(store, 4)
    yield* trim(store, 1)
    wasRefused(yield* Effect.exit(trim(store, 3, 2)))
    wasRefused(yield* Effect.exit(store.run((tx) => tx.events.trim(2))))
    assertEqual(yield* numbers(store), [2, 3, 4])
  }
})

const addConsumer = (store: TestedStore, fields: Parameters<typeof newConsumer>[0] = {}) =>
  store.run((tx) => tx.consumers.insert(newConsumer(fields)))

export const consumerCases = storageCases("storage: consumers", {
  *"a consumer that several add is the one that was first"(store, { openAnother }) {
    const another = yield* openAnother(store)
    yield* Effect.forEach(upTo(12), (position) => addConsumer(position % 2 === 0 ? store : another, { position }), {
      concurrency: "unbounded"
    })
    const [first, ...others] = yield* store.consumers.scan([], 10)
    assertEqual([first?.name, others], ["invoices", []])
    yield* addConsumer(store)
    assertEqual(yield* store.consumers.find("invoices"), first)
  }
})
