import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { untyped } from "../../../testing/src/untyped.ts"
import type { Event } from "../../domain/events/Event.ts"
import { listEvents } from "./listEvents.ts"

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
        Effect.succeed(kept.filter(({ seq }) => seq > after).slice(0, count))
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
