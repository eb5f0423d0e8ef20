import { assert, describe, it } from "@effect/vitest"
import { aCategory, anInventoryItem, aPet } from "@petstore/testing"
import type { NewEvent } from "../../domain/events/Event.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import { EventLog } from "./EventLog.ts"
import { Report } from "./Report.ts"
import { rules } from "./rules.ts"
import { StoredResults } from "./StoredResults.ts"

const category = { ...aCategory(), version: 1 }
const pet = { ...aPet(), version: 1 }
const stock = { ...anInventoryItem({ onHand: 3, reserved: 1 }), held: false, version: 1 }
const order = { id: 1, complete: false, state: "open", version: 1 } as const

const created = {
  category: { type: "category.created", subject: "categories/1", data: category },
  pet: { type: "pet.created", subject: "pets/1", data: pet },
  stock: { type: "inventory.updated", subject: "inventory/1", data: stock },
  order: { type: "order.placed", subject: "orders/1", data: order }
} as const satisfies Readonly<Record<string, NewEvent>>

/** Each way in which a resource can change for its callers, or stay as it is. */
const changes: Readonly<Record<string, { readonly raises: boolean; readonly to: (version: number) => NewEvent }>> = {
  "the name of a category": {
    raises: true,
    to: (version) => ({ ...created.category, type: "category.updated", data: { ...category, name: "Cats", version } })
  },
  "the description of a category": {
    raises: true,
    to: (version) => ({
      ...created.category,
      type: "category.updated",
      data: { ...category, description: "Bark", version }
    })
  },
  "the name of a pet": {
    raises: true,
    to: (version) => ({ ...created.pet, type: "pet.updated", data: { ...pet, name: "Max", version } })
  },
  "the category of a pet": {
    raises: true,
    to: (version) => ({ ...created.pet, type: "pet.updated", data: { ...pet, categoryId: 2, version } })
  },
  "the status of a pet": {
    raises: true,
    to: (version) => ({ ...created.pet, type: "pet.updated", data: { ...pet, status: "pending", version } })
  },
  "the quantity of an inventory item": {
    raises: true,
    to: (version) => ({ ...created.stock, data: { ...stock, quantity: 4, version } })
  },
  "the reserved units of an inventory item": {
    raises: true,
    to: (version) => ({ ...created.stock, data: { ...stock, reserved: 2, version } })
  },
  "the free units of an inventory item": {
    raises: true,
    to: (version) => ({ ...created.stock, data: { ...stock, available: 0, version } })
  },
  "the status of an inventory item": {
    raises: true,
    to: (version) => ({ ...created.stock, data: { ...stock, status: "pending", version } })
  },
  "the hold of an inventory item, which callers do not see,": {
    raises: false,
    to: (version) => ({ ...created.stock, data: { ...stock, held: true, version } })
  },
  "the pet of an order": {
    raises: true,
    to: (version) => ({ ...created.order, type: "order.updated", data: { ...order, petId: 1, version } })
  },
  "the quantity of an order": {
    raises: true,
    to: (version) => ({ ...created.order, type: "order.updated", data: { ...order, quantity: 2, version } })
  },
  "the ship date of an order": {
    raises: true,
    to: (version) => ({
      ...created.order,
      type: "order.updated",
      data: { ...order, shipDate: "2026-05-04T09:30:00.000Z", version }
    })
  },
  "the completion of an order": {
    raises: true,
    to: (version) => ({ ...created.order, type: "order.completed", data: { ...order, complete: true, version } })
  }
}

/** What a rule shows of events, after which nothing else comes. */
const shownBy = (rule: string, events: ReadonlyArray<NewEvent>) => {
  const report = new Report(rules)
  const log = new EventLog(report, new StoredResults(report.on("storedResult")))
  events.forEach((event, index) => {
    const record: EventRecord = { ...event, seq: index + 1, id: `evt_${index}`, timestamp: "2026-05-04T09:30:00.000Z" }
    log.replay(record)
  })
  log.finish()
  return report.results.find(({ name }) => name === rule)?.examples
}

const versionsIn = (...events: ReadonlyArray<NewEvent>) => shownBy("event_versions", events)

describe("given an event about the record of a pet that no event created", () => {
  const event: NewEvent = { type: "pet.record_updated", subject: "pets/1", data: { id: 1, metadata: {} } }

  it("then it is reported, and no pet is missed", () => {
    assert.lengthOf(versionsIn(event) ?? [], 1)
    assert.deepStrictEqual(shownBy("events_replay_pets", [event]), [])
  })
})

describe("given what removed events leave of rows", () => {
  it("when the rows of a bucket are compared, then those of the next start anew", () => {
    const report = new Report(rules)
    const log = new EventLog(report, new StoredResults(report.on("storedResult")))
    log.restore(1, { record: { metadata: {}, changes: 1 } })
    assert.hasAllKeys(log.folded("orders", 1), ["record"])
    log.finish()
    assert.deepStrictEqual(log.folded("orders", 1), {})
  })
})

describe("event_statuses", () => {
  const sold: NewEvent = { ...created.pet, type: "pet.updated", data: { ...pet, status: "sold", version: 2 } }
  const events = [created.pet, created.stock, sold]

  it("reports a status of a pet that no event of its stock follows", () => {
    assert.deepStrictEqual(shownBy("event_statuses", events), [{ petId: 1, status: "sold" }])
  })

  it("reports an event of a pet before that of the stock which the one before has announced", () => {
    const stockSold: NewEvent = { ...created.stock, data: { ...stock, status: "sold", version: 2 } }
    const next: NewEvent = {
      ...created.pet,
      type: "pet.updated",
      data: { ...pet, name: "Max", status: "sold", version: 3 }
    }
    assert.deepStrictEqual(shownBy("event_statuses", [...events, stockSold, next]), [])
    assert.deepStrictEqual(shownBy("event_statuses", [...events, next, stockSold]), [
      { seq: 4, type: "pet.updated", petId: 1, status: "sold", statusOfPet: "sold" }
    ])
  })
})

describe("event_versions", () => {
  for (const [what, { raises, to }] of Object.entries(changes)) {
    const expected = raises ? 2 : 1
    const first = Object.values(created).find(({ subject }) => subject === to(1).subject) ?? assert.fail(what)

    it(`takes version ${expected} after version 1 if ${what} changes, and no other`, () => {
      assert.deepStrictEqual(versionsIn(first, to(expected)), [])
      for (const version of [0, 1, 2, 3].filter((other) => other !== expected)) {
        const { subject, type } = to(version)
        assert.deepStrictEqual(versionsIn(first, to(version)), [
          { seq: 2, type, subject, version: { found: version, expected } }
        ])
      }
    })
  }

  for (const [what, { raises, to }] of Object.entries(changes)) {
    // Nothing follows a completion: that is a rule of its own.
    if (to(2).type === "order.completed") continue
    it(`takes no event that repeats the one that changed ${what}`, () => {
      const first = Object.values(created).find(({ subject }) => subject === to(1).subject) ?? assert.fail(what)
      const change = to(raises ? 2 : 1)
      const { subject, type } = change
      assert.deepStrictEqual(versionsIn(first, change, change), [
        { seq: 3, type, subject, problem: "repeats the event before" }
      ])
    })
  }

  it("takes one event of the change of a status beside that of the name, and no more", () => {
    const named = { ...pet, name: "Max", status: "pending", version: 2 } as const
    const updated: NewEvent = { ...created.pet, type: "pet.updated", data: named }
    const changed: NewEvent = { ...created.pet, type: "pet.status_changed", data: { ...named, previous: "available" } }
    const { subject } = created.pet
    assert.deepStrictEqual(versionsIn(created.pet, updated, changed), [])
    for (const again of [updated, changed]) {
      assert.deepStrictEqual(versionsIn(created.pet, updated, changed, again), [
        { seq: 4, type: again.type, subject, problem: "repeats the event before" }
      ])
    }
  })

  for (const [what, event] of Object.entries(created)) {
    it(`takes no other version than 1 for a new ${what}`, () => {
      const second = { ...event, data: { ...event.data, version: 2 } } as NewEvent
      assert.deepStrictEqual(versionsIn(event), [])
      assert.strictEqual(versionsIn(second)?.length, 1)
    })
  }
})
