import { type DeferredEvents, type EventToAppend, traceparent } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { readBeside, upTo } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { each, inTurn, refuse, throwing } from "./programs.ts"
import { at, newEvent } from "./rows.ts"
import type { TestedStore, TestedTransaction } from "./TestedStore.ts"
import { readLog, untilLatest } from "./watching.ts"

const append = (tx: TestedTransaction, ...numbers: ReadonlyArray<number>) =>
  each(numbers, (n) => tx.events.append(newEvent(n)))

/** The log once it has a number of events. */
const log = (store: TestedStore, count: number) =>
  Effect.map(readLog(store, count), (events) => events.map(({ seq, id }) => [seq, id]))

/** Events of several kinds, each with an id that stores may shorten, and with one that they keep. */
const someEvents = (
  [
    ["order.placed", "orders/9", { id: 9, petId: 7, quantity: 2, complete: false, state: "open", version: 1 }],
    ["order.placed", "orders/9", { id: 9, complete: false, state: "draft", version: 1 }],
    ["order.cancelled", "orders/1234567", { id: 1_234_567 }],
    ["pet.deleted", "pets/7", { id: 7 }],
    [
      "inventory.updated",
      "inventory/7",
      { petId: 7, quantity: 0, status: "sold", reserved: 0, available: 0, held: false, version: 2 }
    ],
    ["message.deleted", "messages/5", { id: "5" }]
  ] as const
).flatMap(([type, subject, data], index) => {
  const made = `evt_${Date.parse(at(1)).toString(36).padStart(9, "0")}00000abcdefg${index}`
  return [made, `evt_${index + 1}`].map((id) => ({ id, type, subject, timestamp: at(1), data }) as EventToAppend)
})

export const eventCases = storageCases("storage: the event log", {
  *"an event is read as it was appended, data included"(store) {
    const description = { name: 'Dogs "🐶"', description: "line\nbreak", version: 1 }
    const category = { id: "evt_0", type: "category.created", subject: "categories/1", timestamp: at(1) } as const
    const events = [{ ...category, data: { id: 1, ...description } }, ...someEvents]
    yield* store.run((tx) => tx.events.append(...events))
    const expected = events.map((event, index) => ({ ...event, seq: index + 1 }))
    assertEqual(yield* readLog(store, events.length), expected)
  },

  *"the trace context of an event is read as it was appended, and is in no JSON and no list of names"(store) {
    const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const [first, second] = [newEvent(1), newEvent(2)]
    yield* store.run((tx) =>
      inTurn(
        tx.events.append({ ...first, [traceparent]: trace }),
        tx.events.append(second, { ...newEvent(3), [traceparent]: trace })
      )
    )
    const read = yield* readLog(store, 3)
    assertEqual(
      read.map((event) => event[traceparent]),
      [trace, undefined, trace]
    )
    assertEqual(JSON.parse(JSON.stringify(read[0])), { ...first, seq: 1 })
    assertEqual(
      (yield* store.events.find([1])).map((event) => event[traceparent]),
      [trace]
    )
  },

  *"changing an event after it was appended or read does not change the log"(store) {
    const data = { id: 1 }
    yield* store.run((tx) =>
      tx.events.append({ id: "evt_1", type: "pet.deleted", subject: "pets/1", timestamp: at(1), data })
    )
    data.id = 2
    const [read] = yield* readLog(store, 1)
    if (read !== undefined) Object.assign(read.data, { id: 3 })
    assertEqual((yield* store.events.scan(0, 1))[0]?.data, { id: 1 })
  },

  *"events are read in ascending seq, after the given one and up to the limit"(store) {
    yield* store.run((tx) => append(tx, 1, 2, 3, 4, 5))
    yield* untilLatest(store, 5)
    const seqs = (after: number, limit: number) =>
      Effect.map(store.events.scan(after, limit), (events) => events.map(({ seq }) => seq))
    assertEqual(yield* seqs(0, 2), [1, 2])
    assertEqual(yield* seqs(2, 2), [3, 4])
    assertEqual(yield* seqs(4, 2), [5])
    assertEqual(yield* seqs(5, 2), [])
  },

  *"events in outline, if the store reads them so, are about what they are when they are read"(store) {
    yield* store.run((tx) => tx.events.append(...someEvents))
    yield* untilLatest(store, someEvents.length)
    const { scan, scanOutlines } = store.events
    if (scanOutlines === undefined) return
    const whole = yield* scan(0, 100)
    for (const [index, { about, seq }] of (yield* scanOutlines(0, 100)).entries()) {
      const event = whole[index]
      assertEqual(seq, event?.seq)
      if (about === undefined || event === undefined) continue
      const [, id] = event.subject.split("/")
      const related = event.type.startsWith("order.") && "petId" in event.data ? event.data.petId : undefined
      assertEqual(about, { type: event.type, id: Number(id), related })
    }
    const seqs = (after: number, limit: number) =>
      Effect.map(scanOutlines(after, limit), (events) => events.map(({ seq }) => seq))
    assertEqual(yield* seqs(0, 2), [1, 2])
    assertEqual(yield* seqs(3, 2), [4, 5])
    assertEqual(yield* seqs(someEvents.length, 2), [])
  },

  *"events that are made later are those of the time at which they were read"(store) {
    const { scan, scanDeferred } = store.events
    if (scanDeferred === undefined) return
    const none = yield* scanDeferred(0, 10)
    assertTrue(none.last < none.first && none.types.size === 0, "an empty page has no events")
    const commit = (first: number) =>
      store.run((tx) => append(tx, ...Array.from({ length: 150 }, (_, index) => first + index)))
    yield* commit(1)
    const whole = yield* scan(0, 1_000)
    const pages: Array<readonly [number, number, DeferredEvents]> = []
    for (const after of [0, 1, 63, 64, 100, 149, 150, 200]) {
      for (const limit of [1, 64, 1_000]) pages.push([after, limit, yield* scanDeferred(after, limit)])
    }
    // What happens to the log afterwards changes no page.
    yield* commit(151)
    yield* store.run((tx) =>
      inTurn(tx.checkpoints.save({ subject: "log", seq: 140, state: "{}" }), tx.events.trim(140))
    )
    for (const [after, limit, { first, last, load, types }] of pages) {
      const expected = whole.slice(after, after + limit)
      const events = load()
      assertEqual(events, expected)
      assertEqual(Math.max(last - first + 1, 0), expected.length)
      if (expected.length > 0) assertEqual(first, after + 1)
      assertEqual([...types].toSorted(), [...new Set(expected.map(({ type }) => type))].toSorted())
    }
  },

  *"a transaction that is rolled back leaves no gap in the log, and does not count as the latest"(store) {
    yield* store.run((tx) => append(tx, 1))
    yield* Effect.exit(store.run((tx) => inTurn(append(tx, 2, 3), refuse())))
    yield* Effect.exit(store.run((tx) => inTurn(append(tx, 4), throwing())))
    assertEqual(yield* untilLatest(store, 1), 1)
    yield* store.run((tx) => append(tx, 5))
    assertEqual(yield* log(store, 2), [
      [1, "evt_1"],
      [2, "evt_5"]
    ])
  },

  *"after the log was read up to a seq, no event appears before it"(store) {
    const write = Effect.forEach(
      upTo(30),
      (n) => {
        const appended = store.run((tx) => inTurn(append(tx, n), n % 4 === 0 ? refuse() : inTurn()))
        return Effect.andThen(Effect.exit(appended), Effect.yieldNow)
      },
      { concurrency: 5 }
    )
    const seen: Array<number> = []
    const read = (limit: number) =>
      Effect.suspend(() =>
        Effect.map(store.events.scan(seen.length, limit), (page) => seen.push(...page.map(({ seq }) => seq)))
      )
    yield* readBeside(write, read(7))
    yield* untilLatest(store, 23)
    yield* read(100)
    assertEqual(seen, upTo(23))
  }
})
