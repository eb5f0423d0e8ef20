import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { untyped } from "../../../testing/src/untyped.ts"
import type { Event, EventListQuery } from "../../domain/events/Event.ts"
import { type EventReads, listEvents } from "./listEvents.ts"
import type { OwnedEvents } from "./OwnedEvents.ts"

const event = (seq: number): Event => ({
  id: `evt_${seq}`,
  seq,
  type: "category.updated",
  subject: "categories/1",
  timestamp: "2026-05-04T09:30:00.000Z",
  data: { id: 1, name: "Dogs", version: seq }
})

describe("given a store with an index of the subjects of events", () => {
  it.effect(
    "when the events of one are listed, then they are read by the index, and the log only to see that it has the position",
    () =>
      Effect.gen(function* () {
        const asked: Array<ReadonlyArray<unknown>> = []
        const answer = <A>(found: A, ...call: ReadonlyArray<unknown>) =>
          Effect.sync(() => {
            asked.push(call)
            return found
          })
        const reads = {
          latest: Effect.succeed(9),
          scan: (after: number, count: number) => answer([], "log", after, count),
          search: () => Effect.die("The log is not searched"),
          ofSubject: (subject: string, after: number) => answer([event(3), event(7)], subject, after),
          isIndexed: true
        }
        const everything = { owner: undefined, shownTypes: undefined }
        const none = untyped(undefined)
        const page = yield* listEvents({ subject: "categories/1" }, reads, everything, none, none)
        assert.deepStrictEqual(page, { items: [event(3), event(7)] })
        assert.deepStrictEqual(asked, [
          ["log", 0, 1],
          ["categories/1", 0]
        ])
      })
  )
})

describe("given a log whose first events were removed", () => {
  it.effect("when it is listed from its end, then each page goes on before the last one, down to the first event", () =>
    Effect.gen(function* () {
      const kept = [3, 4, 5, 6].map(event)
      const read = (after: number, count: number) =>
        // One more than fits.
        count > 3
          ? Effect.die(`It reads ${count}`)
          : Effect.succeed(kept.filter(({ seq }) => seq > after).slice(0, count))
      const reads = { latest: Effect.succeed(6), scan: read, search: read, ofSubject: undefined, isIndexed: false }
      const everything = { owner: undefined, shownTypes: undefined }
      const listed: Array<ReadonlyArray<number>> = []
      let cursor: string | undefined
      do {
        const query = { sort: "-seq", limit: 2, ...(cursor === undefined ? {} : { cursor }) } as const
        const page = yield* listEvents(query, reads, everything, untyped(undefined), untyped(undefined))
        listed.push(page.items.map(({ seq }) => seq))
        cursor = page.next
      } while (cursor !== undefined)
      assert.deepStrictEqual(listed, [
        [6, 5],
        [4, 3]
      ])
    })
  )
})

const everything = { owner: undefined, shownTypes: undefined }
const noOwned: OwnedEvents = untyped(undefined)

/** A log of categories that were updated, the first of which was created; the calls that read it. */
const logOf = (length: number) => {
  const events = Array.from({ length }, (_, index): Event => {
    const seq = index + 1
    return seq > 1 ? event(seq) : ({ ...event(seq), type: "category.created" } as Event)
  })
  const asked: Array<readonly [after: number, count: number]> = []
  const read = (after: number, count: number) => {
    asked.push([after, count])
    return Effect.succeed(events.slice(after, after + count))
  }
  const reads: EventReads<never> = {
    latest: Effect.succeed(length),
    scan: read,
    search: read,
    ofSubject: undefined,
    isIndexed: false
  }
  return { asked, reads }
}

describe("given a log whose first event alone is selected", () => {
  it.effect("when it is listed from its end, then pages without an event lead to it, and no longer than needed", () =>
    Effect.gen(function* () {
      const { asked, reads } = logOf(1_250)
      const pages: Array<ReadonlyArray<number>> = []
      let cursor: string | undefined
      do {
        const query = { sort: "-seq", types: ["category.created"], ...(cursor && { cursor }) } as const
        const page = yield* listEvents(query, reads, everything, untyped(undefined), noOwned)
        pages.push(page.items.map(({ seq }) => seq))
        cursor = page.next
      } while (cursor !== undefined)
      assert.deepStrictEqual(pages, [[], [1]])
      assert.strictEqual(asked.length, 13)
    })
  )

  const queries = [
    { types: ["category.created"] },
    { since: "2026-01-01T00:00:00.000Z" },
    { until: "2027-01-01T00:00:00.000Z" }
  ] as const
  for (const query of queries) {
    it.effect(`when it is listed by ${Object.keys(query).join()}, then a page of the log is read at a time`, () =>
      Effect.gen(function* () {
        const { asked, reads } = logOf(300)
        yield* listEvents({ ...query, limit: 1 }, reads, everything, untyped(undefined), noOwned)
        assert.strictEqual(asked.at(-1)?.[1], 100)
      })
    )
  }
})

describe("given an owner who sees nothing but events of their orders", () => {
  const visible = { owner: "ann", shownTypes: new Set([]) }
  /** Each look at the log reads 600 events; one in the last part is of the owner. */
  const owned: OwnedEvents = untyped({
    after: (_: string, position: number) =>
      Effect.succeed({
        events: position < 1_200 ? [] : [event(position + 1)],
        last: position + 600,
        isEnd: position >= 1_200,
        read: 600
      })
  })

  for (const [name, ofSubject] of [
    ["with", () => Effect.die("Events of all are read")],
    ["without", undefined]
  ] as const) {
    it.effect(
      `when a log ${name} an index is listed, then their events alone are read, and some parts for a page`,
      () =>
        Effect.gen(function* () {
          const reads = { ...logOf(1_800).reads, ofSubject }
          const first = yield* listEvents({}, reads, visible, untyped(undefined), owned)
          assert.deepStrictEqual(first.items, [])
          assert.isString(first.next)
          const cursor = first.next ?? ""
          const last = yield* listEvents({ cursor }, reads, visible, untyped(undefined), owned)
          assert.deepStrictEqual(last, { items: [event(1_201)] })
        })
    )
  }

  it.effect("when their events of one subject are listed, then by its index if there is one", () =>
    Effect.gen(function* () {
      const { reads } = logOf(0)
      const query = { subject: "orders/1" }
      const ofSubject = () => Effect.succeed([])
      const indexed = listEvents(query, { ...reads, ofSubject }, visible, () => Effect.succeed(new Map()), untyped({}))
      assert.deepStrictEqual(yield* indexed, { items: [] })
    })
  )
})

describe("given events around a time, by a clock that was set back between them", () => {
  it.effect("when they are listed since that time, in either order, then those before it are left out alone", () =>
    Effect.gen(function* () {
      const times = ["09:29:40", "09:29:55", "09:30:05", "09:29:57", "09:30:06"]
      const log = times.map((time, index) => ({ ...event(index + 1), timestamp: `2026-05-04T${time}.000Z` }))
      const read = (after: number, count: number) => Effect.succeed(log.slice(after, after + count))
      const reads = { ...logOf(0).reads, latest: Effect.succeed(5), scan: read, search: read }
      const listed = (query: EventListQuery) =>
        Effect.map(
          listEvents({ since: "2026-05-04T09:30:00.000Z", ...query }, reads, everything, untyped({}), noOwned),
          ({ items }) => items.map(({ seq }) => seq)
        )
      assert.deepStrictEqual(yield* listed({}), [3, 5])
      assert.deepStrictEqual(yield* listed({ sort: "-seq" }), [5, 3])
    })
  )
})
