import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@petstore/core/domain"
import type { EventToAppend } from "@petstore/core/ports"
import { plainEvents } from "../../sql/EventRows.ts"
import { compactEvents } from "./compactEvents.ts"
import { eventForms } from "./eventForms.ts"

const time = Date.UTC(2026, 4, 4, 9, 30)
const id = (millis = time): string => `evt_${millis.toString(36).padStart(9, "0")}000019a2b3c4d`
const at = (millis: number): string => new Date(millis).toISOString()

const order = { id: 7, petId: 3, quantity: 2, complete: false, state: "open", version: 1 } as const
const placed: EventToAppend = {
  id: id(),
  type: "order.placed",
  subject: "orders/7",
  timestamp: at(time),
  data: order
}

/** The event with other values, whether or not they are those of an event. */
const eventOf = (change: object): EventToAppend => ({ ...placed, ...change })

const stored = (event: EventToAppend) => {
  const [idColumn, type, subject, timestamp, data] = compactEvents.values(event)
  return { seq: 4, id: idColumn, type, subject, timestamp, data }
}

const bytesOf = ({ seq: _, ...columns }: ReturnType<typeof stored>): number =>
  Object.values(columns).reduce((sum, { length }) => sum + length, 0)

describe("given an event with a form", () => {
  it("when it is stored, then the row has a code, the values, and nothing twice", () => {
    assert.deepStrictEqual(stored(placed), {
      seq: 4,
      id: id().slice(4),
      type: "5",
      subject: "",
      timestamp: "",
      data: '7,3,2,false,"open",1]'
    })
  })

  it("when it is read, then it is exactly what was stored, with its fields in the same order", () => {
    const later: EventToAppend = { ...placed, timestamp: at(time - 12) }
    for (const event of [placed, later]) {
      assert.strictEqual(JSON.stringify(compactEvents.decode(stored(event))), JSON.stringify(plainOf(event)))
    }
  })

  it("when it is read in outline, then that is what it is about", () => {
    assert.deepStrictEqual(compactEvents.aboutOf?.(stored(placed)), { type: "order.placed", id: 7, petId: 3 })
    const cancelled = eventOf({ type: "order.cancelled", data: { id: 7 } })
    assert.deepStrictEqual(compactEvents.aboutOf?.(stored(cancelled)), {
      type: "order.cancelled",
      id: 7,
      petId: undefined
    })
  })

  for (const data of [
    '"7",3,2]',
    "07,3,2]",
    "7.5,3]",
    "1e3,3]",
    "-7,3]",
    "7",
    "7;3]",
    "12345678901234567,3]",
    "7,null]",
    "7,x]",
    ""
  ]) {
    it(`when its values are ${data}, then it is read as a whole`, () => {
      assert.isUndefined(compactEvents.aboutOf?.({ type: "5", data }))
    })
  }

  it("when its data is parsed as JSON, then that fails", () => {
    for (const { code, collection, fields, type } of eventForms) {
      const data = Object.fromEntries(fields.map((name, index) => [name, index + 1]))
      const event = eventOf({ type, data, subject: `${collection}1` })
      assert.strictEqual(stored(event).type, code)
      assert.throws(() => JSON.parse(stored(event).data), SyntaxError)
    }
  })
})

const plainOf = (event: EventToAppend): Event => {
  const [idColumn, type, subject, timestamp, data] = plainEvents.values(event)
  return plainEvents.decode({ seq: 4, id: idColumn, type, subject, timestamp, data })
}

describe("given an event that a form would not return as it was", () => {
  const others: ReadonlyArray<readonly [what: string, event: object]> = [
    ["of a type without a form", { type: "webhook.deleted", subject: "webhooks/1", data: { id: 1 } }],
    ["with a field too many", { data: { ...order, colour: "red" } }],
    ["with a field too few", { data: { id: 7, petId: 3, quantity: 2 } }],
    ["with fields in another order", { data: Object.fromEntries(Object.entries(order).reverse()) }],
    ["with a field that JSON leaves out", { data: { ...order, quantity: undefined } }],
    ["about another subject", { subject: "orders/8" }],
    ["with an id of another kind", { id: "evt_1" }],
    ["with an id that only looks like it", { id: id().toUpperCase() }],
    ["that is later than its id", { timestamp: at(time + 1) }],
    ["that is days older than its id", { timestamp: at(time - 100_000_000) }],
    ["with a time in another form", { timestamp: "2026-05-04T09:30:00Z" }],
    ["with no time", { timestamp: "" }]
  ]
  for (const [what, change] of others) {
    it(`${what}, then it is stored and read as it is`, () => {
      const event = eventOf(change)
      assert.deepStrictEqual(compactEvents.values(event), plainEvents.values(event))
      assert.deepStrictEqual(compactEvents.decode(stored(event)), plainOf(event))
    })
  }
})

describe("given a row that was changed", () => {
  const changes: ReadonlyArray<readonly [what: string, change: object]> = [
    ["an unknown form", { type: "zz" }],
    ["the code of a form in another case", { type: "D", data: '"msg_1"]' }],
    ["a value too few", { data: "7,3,2]" }],
    ["a value too many", { data: '7,3,2,false,"open",1,1]' }],
    ["data that is no JSON", { data: "7,3,2" }],
    ["a whole id", { id: id() }],
    ["an id in capitals", { id: id().slice(4).toUpperCase() }],
    ["a time", { timestamp: at(time) }],
    ["a blank", { timestamp: " " }],
    ["a delay with a leading zero", { timestamp: "01" }],
    ["a subject", { subject: "orders/7" }]
  ]
  for (const [what, change] of changes) {
    it(`to one with ${what}, then it cannot be read`, () => {
      assert.throws(() => compactEvents.decode({ ...stored(placed), ...change }))
    })
  }
})

describe("given the forms", () => {
  it("then those of a release are in the files that it wrote, and stay as they are", () => {
    assert.deepStrictEqual(
      eventForms
        .slice(0, 14)
        .map(({ code, collection, fields, type }) => [code, type, collection, fields.join(" ")].join(" ")),
      [
        "0 inventory.updated inventory/ petId quantity status reserved available held version",
        "1 pet.created pets/ id name categoryId status version",
        "2 pet.updated pets/ id name categoryId status version",
        "3 pet.status_changed pets/ id name categoryId status version previous",
        "4 pet.deleted pets/ id",
        "5 order.placed orders/ id petId quantity complete state version",
        "6 order.placed orders/ id petId quantity shipDate complete state version",
        "7 order.updated orders/ id petId quantity complete state version",
        "8 order.updated orders/ id petId quantity shipDate complete state version",
        "9 order.completed orders/ id petId quantity shipDate complete state version",
        "a order.cancelled orders/ id",
        "b message.queued messages/ id message status createdAt",
        "c message.delivered messages/ id message status createdAt attempts deliveredAt",
        "d message.deleted messages/ id"
      ]
    )
  })

  it("then an event takes less than half of the space that it took", () => {
    const before = JSON.stringify(plainEvents.values(placed)).length - 14
    assert.isBelow(bytesOf(stored(placed)), before / 2)
  })
})
