import { assert, describe, it } from "@effect/vitest"
import { eventIds } from "../domain/events/EventId.ts"
import type { EventRecord } from "../tables/eventTable.ts"
import { eventForms } from "./eventForms.ts"

const eventOfEngine = (engine: number): EventRecord => ({
  id: `evt_0mor00kw000000${engine.toString(36).padStart(8, "0")}`,
  type: "pet.deleted",
  timestamp: "2026-05-04T09:30:00.000Z",
  seq: engine,
  subject: `pets/${engine}`,
  data: { id: engine }
})

describe("given events of many engines", () => {
  it("then each is as it was, and those of late engines share a form that keeps whole ids", () => {
    const forms = eventForms()
    const block: Array<unknown> = []
    const engines = Array.from({ length: 100 }, (_, index) => index + 1)
    const places = engines.map((engine, index) => {
      const place = index * 10
      forms.put(block, place, eventOfEngine(engine))
      return place
    })
    assert.deepStrictEqual(
      places.map((place, index) => forms.load(block, place, index + 1)),
      engines.map(eventOfEngine)
    )
    assert.strictEqual(new Set(places.map((place) => block[place])).size, 17)
  })
})

describe("given events whose ids were made just before, and others", () => {
  it("then each is as it was, whatever the time of the event", () => {
    const forms = eventForms()
    const block: Array<unknown> = []
    const makers = [eventIds("abcdefg0"), eventIds("abcdefg1")]
    const times = ["2026-05-04T09:30:00.000Z", "2026-05-04T09:30:00.001Z", "2026-05-04T09:30:00Z", "someday"]
    const millis = [1_777_887_000_000, 1_777_887_000_001, 0, 0.5, 1_777_887_000_000.25]
    const events: Array<EventRecord> = []
    const places: Array<number> = []
    let place = 0
    for (const [index, timestamp] of times.entries()) {
      for (const [counter, at] of millis.entries()) {
        for (const make of makers) {
          const seq = events.length + 1
          const id = make(at, counter * 700 + index)
          // An id that is not the one that was made last is read.
          if (seq % 3 === 0) make(at, counter)
          const event: EventRecord = { ...eventOfEngine(seq), id, timestamp }
          events.push(event)
          places.push(place)
          place = forms.put(block, place, event)
        }
      }
    }
    assert.deepStrictEqual(
      places.map((at, index) => forms.load(block, at, index + 1)),
      events
    )
  })
})

describe("given events with the same fields, of which some are lists or objects", () => {
  it("then each is as it was, with its fields in the same order, whichever comes first", () => {
    const plain = { id: 1, message: "text", status: "queued", createdAt: "someday" }
    const others: ReadonlyArray<object> = [
      { ...plain, message: { subject: "Hello", lines: [1, null, ["two"]] } },
      { ...plain, status: [] },
      { ...plain, status: null },
      Object.fromEntries(Object.entries(plain).reverse()),
      { ...plain, status: undefined },
      { ...plain, colour: "red" }
    ]
    for (const all of [
      [plain, ...others, plain],
      [...others, plain, ...others]
    ]) {
      const forms = eventForms()
      const block: Array<unknown> = []
      const events = all.map((data, index) => ({ ...eventOfEngine(1), seq: index + 1, data }) as EventRecord)
      for (const [index, event] of events.entries()) forms.put(block, index * 12, event)
      assert.deepStrictEqual(
        events.map(({ seq }, index) => JSON.stringify(forms.load(block, index * 12, seq).data)),
        events.map(({ data }) => JSON.stringify(data))
      )
    }
  })
})

describe("given ids that begin and end as the one before", () => {
  it("then each is as it was, also if it is longer, shorter, or has no counter", () => {
    const forms = eventForms()
    const block: Array<unknown> = []
    const middles = ["00000", "000000", "123456", "0000", "", "0000A", "0-001", "000 1", "00é01", "zzzzz", "00001"]
    const events = middles.map((middle, index) => ({
      ...eventOfEngine(index + 1),
      id: `evt_0mor00kw0${middle}abcdefgh`
    }))
    for (const [index, event] of events.entries()) forms.put(block, index * 10, event)
    assert.deepStrictEqual(
      events.map(({ seq }, index) => forms.load(block, index * 10, seq)),
      events
    )
  })
})
