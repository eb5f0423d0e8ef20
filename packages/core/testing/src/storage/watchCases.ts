import type { Event } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { assertEqual, assertTrue } from "../check.ts"
import { upTo } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { each, inTurn, refuse } from "./programs.ts"
import { at, newEvent } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"
import { untilLatest, watching } from "./watching.ts"

/** Commits events of these numbers. */
const commit = (store: TestedStore, ...numbers: ReadonlyArray<number>) =>
  store.run((tx) => each(numbers, (n) => tx.events.append(newEvent(n))))

/** Reads the log after each call until it has a number of events, and returns their numbers in order. */
const follow = (store: TestedStore, count: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { until } = yield* watching(store)
      const read: Array<number> = []
      const more = Effect.map(store.events.scan(0, 1_000), (events) => {
        read.push(...events.slice(read.length).map(({ seq }) => seq))
        return read.length
      })
      yield* until(more, (length) => length >= count)
      return read
    })
  )

export const watchCases = storageCases("storage: notifications of new events", {
  *"the latest seq is 0 in an empty log, and otherwise that of the last event"(store) {
    assertEqual(yield* store.events.latest, 0)
    yield* commit(store, 1, 2, 3)
    assertEqual(yield* untilLatest(store, 3), 3)
    yield* commit(store, 4)
    assertEqual(yield* untilLatest(store, 4), 4)
  },

  *"every watcher is called when this store, or another one on the database, has committed an event"(
    store,
    { openAnother }
  ) {
    const all = yield* Effect.forEach(upTo(3), () => watching(store))
    for (const { counted } of all) assertEqual(counted.calls, 0, "the number of calls before anything was committed")
    const another = yield* openAnother(store)
    for (const [index, one] of [store, another, another, store].entries()) {
      const before = all.map(({ counted }) => counted.calls)
      yield* commit(one, index + 1)
      for (const [place, { until, untilCalled }] of all.entries()) {
        yield* untilCalled(before[place] ?? 0)
        assertEqual(yield* until(store.events.latest, (latest) => latest === index + 1), index + 1)
      }
    }
  },

  *"a watcher that has stopped is not called, and the others still are"(store) {
    const scope = yield* Scope.make()
    const first = yield* Scope.provide(watching(store), scope)
    const second = yield* watching(store)
    yield* commit(store, 1)
    yield* first.until(store.events.latest, (latest) => latest === 1)
    yield* Scope.close(scope, Exit.void)
    const { calls } = first.counted
    for (const n of [2, 3]) {
      yield* commit(store, n)
      yield* second.until(store.events.latest, (latest) => latest === n)
    }
    assertEqual(first.counted.calls, calls, "the number of calls after the watch has ended")
  },

  *"events that a store passes with a commit are exactly those that the log has"(store) {
    const passed: Array<ReadonlyArray<Event>> = []
    const others: Array<ReadonlyArray<Event>> = []
    yield* store.watch((appeared) => passed.push(appeared ?? []), { events: true })
    yield* store.watch((appeared) => others.push(appeared ?? []), { events: true })
    const types: Array<"order.placed"> = ["order.placed"]
    const webhook = { id: 7, types, ordered: true, concurrency: 1, enabled: true, createdAt: at(2), version: 1 }
    const created = { ...newEvent(2), type: "webhook.created", subject: "webhooks/7", data: webhook } as const
    const failing = (n: number) => store.run((tx) => inTurn(tx.events.append(newEvent(n)), refuse()))
    yield* store.run((tx) => tx.events.append(newEvent(1), created))
    yield* Effect.exit(failing(3))
    yield* store.run((tx) => tx.events.append(newEvent(4), newEvent(5)))
    yield* store.run((tx) => inTurn(tx.events.append(newEvent(9)), tx.events.append(newEvent(10), newEvent(11))))
    // What the caller does with its own objects from then on does not matter.
    types.length = 0
    yield* Effect.all(
      [12, 13, 14].map((n) => store.run((tx) => tx.events.append(newEvent(n)))),
      { concurrency: "unbounded" }
    )
    yield* untilLatest(store, 10)
    const log = yield* store.events.scan(0, 100)
    const ids = log.map(({ id }) => id)
    assertEqual(
      ids.slice(0, -3),
      [1, 2, 4, 5, 9, 10, 11].map((n) => `evt_${n}`)
    )
    // A store with several writers commits these in any order.
    assertEqual(
      ids.slice(-3).toSorted(),
      [12, 13, 14].map((n) => `evt_${n}`)
    )
    for (const page of [...passed, ...others]) {
      const first = page[0]?.seq ?? 1
      assertEqual(page, log.slice(first - 1, first - 1 + page.length))
    }
    const seqs = passed.flat().map(({ seq }) => seq)
    assertEqual(
      seqs,
      [...new Set(seqs)].toSorted((a, b) => a - b)
    )
  },

  *"a watcher that reads when it is called misses no event of two stores that commit concurrently"(
    store,
    { openAnother }
  ) {
    const another = yield* openAnother(store)
    const [read] = yield* Effect.all(
      [
        follow(store, 60),
        Effect.forEach(upTo(60), (n) => Effect.andThen(commit(n % 2 === 0 ? store : another, n), Effect.yieldNow), {
          concurrency: 7,
          discard: true
        })
      ],
      { concurrency: "unbounded" }
    )
    assertEqual(read, upTo(60))
  },

  *"an event that is committed while a watch starts can be read at once, or a call follows"(store) {
    for (const round of upTo(30)) {
      const pause = Effect.forEach(upTo(round % 6), () => Effect.yieldNow, { discard: true })
      const [read] = yield* Effect.all([Effect.andThen(pause, follow(store, round)), commit(store, round)], {
        concurrency: "unbounded"
      })
      assertTrue(read.length >= round, `${round} events are read`)
    }
  }
})
