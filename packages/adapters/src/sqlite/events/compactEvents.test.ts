import { assert, describe, it } from "@effect/vitest"
import { eventFormOf } from "@petstore/core/adapter-toolkit"
import { type Event, EventType, eventTypes } from "@petstore/core/domain"
import type { EventToAppend } from "@petstore/core/ports"
import { plainEvents } from "../../sql/EventStatements.ts"
import { compactEvents } from "./compactEvents.ts"

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
      type: "aw",
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
    assert.deepStrictEqual(compactEvents.aboutOf?.(stored(placed)), { type: "order.placed", id: 7, related: 3 })
    const cancelled = eventOf({ type: "order.cancelled", data: { id: 7 } })
    assert.deepStrictEqual(compactEvents.aboutOf?.(stored(cancelled)), {
      type: "order.cancelled",
      id: 7,
      related: undefined
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
      assert.isUndefined(compactEvents.aboutOf?.({ type: stored(placed).type, data }))
    })
  }

  it("when its data is parsed as JSON, then that fails", () => {
    for (const type of EventType.literals) {
      const { collection, fields } = eventTypes[type]
      const data = Object.fromEntries(fields.map(({ name }, index) => [name, index + 1]))
      const event = eventOf({ type, data, subject: `${collection}/1` })
      assert.isDefined(eventFormOf(stored(event).type), type)
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
    ["of an unknown type", { type: "pet.lost", subject: "pets/1", data: { id: 1 } }],
    ["with a field too many", { data: { ...order, colour: "red" } }],
    ["with a field too few", { data: { id: 7, petId: 3, quantity: 2 } }],
    ["with fields in another order", { data: Object.fromEntries(Object.entries(order).reverse()) }],
    [
      "whose first fields have changed places",
      { type: "category.updated", subject: "categories/7", data: { name: "Dogs", id: 7, version: 2 } }
    ],
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
    ["the code of a form in another case", { type: "F", data: '"msg_1"]' }],
    ["the code of a form with a field that its type lacks", { type: "3z", data: '"msg_1"]' }],
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
  it("then what files contain of them stays: new types and new optional fields are the last", () => {
    const found = EventType.literals.map((type, place) => {
      const { collection, fields } = eventTypes[type]
      const names = fields.map(({ isOptional, name }) => (isOptional ? `${name}?` : name))
      assert.strictEqual(eventFormOf(place.toString(36))?.type, type)
      return `${place.toString(36)} ${type} ${collection}/ ${names.join(" ")}`
    })
    assert.deepStrictEqual(found.slice(0, 23), [
      "0 pet.created pets/ id name categoryId status version",
      "1 pet.updated pets/ id name categoryId status version",
      "2 pet.status_changed pets/ id name categoryId status version previous",
      "3 pet.deleted pets/ id",
      "4 category.created categories/ id name description? version",
      "5 category.updated categories/ id name description? version",
      "6 category.deleted categories/ id",
      "7 inventory.updated inventory/ petId quantity status reserved available held version reason?",
      "8 order.placed orders/ id petId? quantity? shipDate? complete state version",
      "9 order.updated orders/ id petId? quantity? shipDate? complete state version",
      "a order.completed orders/ id petId? quantity? shipDate? complete state version",
      "b order.cancelled orders/ id",
      "c message.queued messages/ id message status createdAt",
      "d message.delivered messages/ id message status createdAt attempts? nextAttemptAt? deliveredAt? failedAt? lastError?",
      "e message.failed messages/ id message status createdAt attempts? nextAttemptAt? deliveredAt? failedAt? lastError?",
      "f message.deleted messages/ id",
      "g webhook.created webhooks/ id types? description? ordered concurrency enabled disabledReason? disabledAt? createdAt version",
      "h webhook.updated webhooks/ id types? description? ordered concurrency enabled disabledReason? disabledAt? createdAt version",
      "i webhook.disabled webhooks/ id types? description? ordered concurrency enabled disabledReason? disabledAt? createdAt version",
      "j webhook.deleted webhooks/ id",
      "k pet.record_updated pets/ id externalId? metadata",
      "l category.record_updated categories/ id externalId? metadata",
      "m order.record_updated orders/ id externalId? metadata"
    ])
  })

  for (const type of EventType.literals) {
    it(`then ${type} has one, whichever of its optional fields it has`, () => {
      const { collection, fields } = eventTypes[type]
      const optional = fields.filter(({ isOptional }) => isOptional)
      const codes = Array.from({ length: 2 ** optional.length }, (_, chosen) => {
        const present = fields.filter((field) => !field.isOptional || (chosen >> optional.indexOf(field)) & 1)
        const data = Object.fromEntries(present.map(({ name }, index) => [name, index === 1 ? [null, {}] : index + 1]))
        const event = eventOf({ type, data, subject: `${collection}/1` })
        const row = stored(event)
        assert.strictEqual(row.subject, "", `is not in a form: ${JSON.stringify(data)}`)
        assert.strictEqual(JSON.stringify(compactEvents.decode(row)), JSON.stringify(plainOf(event)))
        return row.type
      })
      assert.strictEqual(new Set(codes).size, codes.length)
    })
  }

  it("then an event takes less than half of the space that it took", () => {
    const before = JSON.stringify(plainEvents.values(placed).slice(0, 5)).length - 14
    assert.isBelow(bytesOf(stored(placed)), before / 2)
  })
})
