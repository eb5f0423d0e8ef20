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
