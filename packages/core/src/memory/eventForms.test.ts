import { assert, describe, it } from "@effect/vitest"
import type { EventRecord } from "../ports/EventRows.ts"
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
