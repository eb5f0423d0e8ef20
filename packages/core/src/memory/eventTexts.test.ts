import { assert, describe, it } from "@effect/vitest"
import type { EventRecord } from "../ports/EventRows.ts"
import { eventTexts } from "./eventTexts.ts"

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

describe("given events that are kept as texts", () => {
  it("when they are loaded in any order, then each is as it was, with its fields in the same order", () => {
    const { load, store } = eventTexts()
    const texts = events.map(([, event]) => store(event))
    for (const [index, [what, event]] of [...events.entries()].reverse()) {
      const found = load(texts[index] ?? "", event.seq, "all")
      assert.deepStrictEqual(found, event, what)
      assert.strictEqual(JSON.stringify(found.data), JSON.stringify(event.data), what)
    }
  })

  it("when an event is changed after it was stored, then the log is not", () => {
    const { load, store } = eventTexts()
    const data = { id: 7, types: ["pet.created"] }
    const text = store(eventOf({ data }))
    data.types.push("pet.deleted")
    assert.deepStrictEqual(load(text, 4, "all").data, { id: 7, types: ["pet.created"] } as never)
  })

  it("when a field has no value, then it is left out, as in JSON", () => {
    const { load, store } = eventTexts()
    const text = store(eventOf({ data: { id: 7, shipDate: undefined, version: 1 } }))
    assert.strictEqual(JSON.stringify(load(text, 4, "all").data), '{"id":7,"version":1}')
  })
})
