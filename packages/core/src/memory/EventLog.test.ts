import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type EventRecord, traceparent } from "../tables/eventTable.ts"
import { EventLog } from "./EventLog.ts"

const placed: EventRecord = {
  seq: 4,
  id: "evt_0mor00kw0000009ry9klf2",
  type: "order.placed",
  subject: "orders/7",
  timestamp: "2026-05-04T09:30:00.000Z",
  data: { id: 7, petId: 3, quantity: 2, complete: false, state: "open", version: 1 }
}

/** The event with other values, whether or not they are those of an event. */
const eventOf = (change: object): EventRecord => ({ ...placed, ...change })

const events: ReadonlyArray<readonly [what: string, event: EventRecord]> = [
  ["an order", placed],
  ["an order with another field", eventOf({ data: { ...placed.data, shipDate: "2026-05-05T00:00:00.000Z" } })],
  ["an order without most fields", eventOf({ data: { id: 7 } })],
  ["fields in another order", eventOf({ data: { version: 1, id: 7 } })],
  ["a subject that does not follow from the data", eventOf({ subject: "orders/77" })],
  ["a subject in another collection", eventOf({ subject: "parcels/7" })],
  ["no data", eventOf({ data: {} })],
  ["data of lists, objects and nothing", eventOf({ data: { id: 7, types: ["a", { b: null }], quote: '"\\\u2028' } })],
  ["a time in another form", eventOf({ timestamp: "2026-05-04T09:30:00Z" })],
  ["no time", eventOf({ timestamp: "" })],
  ["a time after that of its id", eventOf({ timestamp: "2027-05-04T09:30:00.000Z" })],
  ["an id of another kind", eventOf({ id: "7" })]
]

/** A log, and how to undo all that was done to it since the last time. */
const makeLog = () => {
  const undo: Array<() => void> = []
  const log = new EventLog(undo)
  const rollBack = (): void => {
    for (const step of undo.splice(0).reverse()) step()
  }
  return { log, undo, rollBack }
}

describe("given events of many forms in a log", () => {
  it("when they are read in any order, then each is as it was, with its fields in the same order", () => {
    const { log } = makeLog()
    for (const [, event] of events) log.append(event)
    for (const [index, [what, event]] of [...events.entries()].reverse()) {
      const found = log.find(index + 1)
      assert.deepStrictEqual(found, { ...event, seq: index + 1 }, what)
      assert.strictEqual(JSON.stringify(found?.data), JSON.stringify(event.data), what)
    }
  })

  it("when an event is changed before or after it was read, then the log is not", () => {
    const { log } = makeLog()
    const data = { id: 7, types: ["pet.created"] }
    log.append(eventOf({ data }))
    data.types.push("pet.deleted")
    Object.assign(log.find(1)?.data ?? {}, { id: 8 })
    assert.deepStrictEqual(log.find(1)?.data, { id: 7, types: ["pet.created"] } as never)
  })

  it("when it has the fields of an event in another order, then they are read in that of all events", () => {
    const { log } = makeLog()
    const { data, id, subject, timestamp, type } = placed
    log.append(eventOf({ data, subject, id, timestamp, type }))
    log.append(Object.assign({ subject, data }, placed))
    for (const event of log.list(0, 2)) {
      assert.deepStrictEqual(Object.keys(event), ["id", "type", "timestamp", "seq", "subject", "data"])
    }
  })

  it("when a field has no value, then it is left out, as in JSON", () => {
    const { log } = makeLog()
    log.append(eventOf({ data: { id: 7, shipDate: undefined, version: 1 } }))
    assert.strictEqual(JSON.stringify(log.find(1)?.data), '{"id":7,"version":1}')
  })

  it("when an event cannot be stored, then nothing of it is there", () => {
    const { log, rollBack, undo } = makeLog()
    log.append(placed)
    undo.length = 0
    const loop: Record<string, unknown> = { id: 8 }
    loop.self = loop
    assert.throws(() => log.append(eventOf({ data: loop })))
    rollBack()
    log.append(eventOf({ subject: "orders/8", data: { id: 8 } }))
    assert.deepStrictEqual(
      log.list(0, 10).map(({ seq, subject }) => [seq, subject]),
      [
        [1, "orders/7"],
        [2, "orders/8"]
      ]
    )
  })

  it("when their removal is rolled back, then they have their traces again", () => {
    const { log, rollBack, undo } = makeLog()
    log.append({ ...placed, [traceparent]: "00-1-2-01" })
    undo.length = 0
    log.trim(1)
    assert.isUndefined(log.find(1))
    rollBack()
    assert.strictEqual(log.find(1)?.[traceparent], "00-1-2-01")
  })

  it("when a number does not follow the last one, then it is rejected", () => {
    const { log } = makeLog()
    assert.throws(() => log.append(placed, 2), "The event 2 does not follow event 0")
  })
})

describe("given any changes of a log, some of which are rolled back", () => {
  const change = fc.record({
    adds: fc.integer({ min: 0, max: 150 }),
    trims: fc.option(fc.integer({ min: 0, max: 150 })),
    adds2: fc.integer({ min: 0, max: 3 }),
    isKept: fc.boolean()
  })

  it("then it has the events that a list has, also where they are made later", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.integer({ min: 0, max: 100 }), (changes, before) => {
        const { log, rollBack, undo } = makeLog()
        log.begin(before)
        undo.length = 0
        let [expected, last]: [ReadonlyArray<number>, number] = [[], before]
        const deferred: Array<() => void> = []
        for (const { adds, adds2, isKept, trims } of changes) {
          let [next, nextLast] = [expected, last]
          const add = (count: number): void => {
            for (let i = 0; i < count; i++) {
              log.append(events[nextLast % events.length]?.[1] ?? placed)
              nextLast++
              next = [...next, nextLast]
            }
          }
          add(adds)
          if (trims !== null) {
            const through = (next[0] ?? 0) + trims
            log.trim(through)
            next = next.filter((seq) => seq > through)
          }
          add(adds2)
          if (isKept) {
            undo.length = 0
            expected = next
            last = nextLast
          } else rollBack()
          const found = log.list(0, Number.POSITIVE_INFINITY)
          assert.deepStrictEqual(
            found.map(({ seq }) => seq),
            expected
          )
          for (const { seq, ...event } of found) {
            const { seq: _, ...kept } = events[(seq - 1) % events.length]?.[1] ?? placed
            assert.deepStrictEqual<object>(event, kept)
          }
          assert.strictEqual(log.last, last)
          assert.strictEqual(log.size, expected.length)
          const middle = expected[expected.length >> 1] ?? 1
          assert.deepStrictEqual(
            log.list(middle - 1, 3).map(({ seq }) => seq),
            expected.filter((seq) => seq >= middle).slice(0, 3)
          )
          for (const [after, limit] of [
            [0, 300],
            [middle - 1, 3],
            [last - 1, 100]
          ] as const) {
            const listed = log.list(after, limit)
            const { first, last: end, load, types } = log.defer(after, limit)
            assert.strictEqual(end - first + 1, listed.length)
            assert.deepStrictEqual([...types], [...new Set(listed.map(({ type }) => type))])
            deferred.push(() => assert.deepStrictEqual(load(), listed))
          }
          assert.isUndefined(log.find(last + 1))
          assert.isUndefined(log.find((expected[0] ?? last + 1) - 1))
        }
        // Whatever was added, removed and rolled back since.
        for (const check of deferred) check()
      }),
      { numRuns: 50 }
    )
  })
})
