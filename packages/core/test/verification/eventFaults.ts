import type { EventRecord } from "../../src/tables/eventTable.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { about, again, change, changeOf, type Fault, start, withData, without } from "./Fault.ts"

/** Faults of the event log. */
export const eventFaults: ReadonlyArray<Fault> = [
  {
    given: "an event with an invalid id",
    damage: {
      events: change(
        ({ seq }) => seq === 3,
        (event) => ({ ...event, id: "evt_" })
      )
    },
    found: { event_ids: [{ seq: 3, id: "evt_", timestamp: start }] }
  },
  {
    given: "an event whose id was shortened",
    damage: {
      events: change(
        ({ seq }) => seq === 3,
        (event) => ({ ...event, id: event.id.slice(0, -1) })
      )
    },
    found: { event_ids: [{ seq: 3, id: "evt_000000000000020000000", timestamp: start }] }
  },
  {
    given: "an event that is older than its time",
    damage: {
      events: change(
        ({ seq }) => seq === 3,
        (event) => ({ ...event, timestamp: "2026-05-04T09:30:00.000Z" })
      )
    },
    found: {
      event_ids: [{ seq: 3, id: "evt_0000000000000200000000", timestamp: "2026-05-04T09:30:00.000Z" }],
      events_replay_categories: [
        { subject: "categories/3", createdAt: { found: start, expected: "2026-05-04T09:30:00.000Z" } }
      ]
    }
  },
  {
    given: "a gap in the event log",
    damage: {
      events: (events) => events.map((event, index) => (index < 9 ? event : { ...event, seq: event.seq + 1 }))
    },
    found: { events_numbered: [{ seq: 11, expected: 10 }] }
  },
  {
    given: "an event about another pet than its data",
    damage: { events: change(about("pets/4", "pet.deleted"), (event) => ({ ...event, subject: "pets/5" })) },
    found: { events_consistent: [{ seq: 40, type: "pet.deleted", subject: "pets/5" }] }
  },
  {
    given: "an inventory event whose status does not follow from its stock",
    damage: { events: change(about("inventory/3"), withData({ status: "pending" })) },
    found: {
      events_consistent: [{ seq: 11, type: "inventory.updated", subject: "inventory/3" }],
      event_statuses: [{ seq: 11, type: "inventory.updated", petId: 3, status: "pending", statusOfPet: "sold" }]
    }
  },
  {
    given: "a change of status to the same status",
    damage: { events: change(about("pets/4", "pet.status_changed"), withData({ previous: "pending" })) },
    found: {
      events_consistent: [{ seq: 36, type: "pet.status_changed", subject: "pets/4" }],
      event_statuses: [
        {
          seq: 36,
          type: "pet.status_changed",
          petId: 4,
          previous: { found: "pending", expected: "available" }
        }
      ]
    }
  },
  {
    given: "a change of status from another status than there was",
    damage: { events: change(({ seq }) => seq === 36, withData({ previous: "sold" })) },
    found: {
      event_statuses: [
        { seq: 36, type: "pet.status_changed", petId: 4, previous: { found: "sold", expected: "available" } }
      ]
    }
  },
  {
    given: "an event without the name of its pet",
    damage: { events: change(about("pets/4", "pet.created"), withData({ name: undefined })) },
    found: { events_consistent: [{ seq: 12, type: "pet.created", subject: "pets/4" }] }
  },
  {
    given: "an event without data",
    damage: {
      events: change(
        about("orders/6", "order.cancelled"),
        (event) => ({ ...event, data: untyped(null) }) as EventRecord
      )
    },
    found: {
      events_consistent: [{ seq: 37, type: "order.cancelled", subject: "orders/6" }],
      events_replay_orders: [
        {
          subject: "orders/6",
          state: { found: "cancelled", expected: "open" },
          version: { found: 2, expected: 1 },
          end: { found: "order.cancelled", expected: null }
        }
      ]
    }
  },
  {
    given: "a complete order in an open state",
    damage: { events: change(about("orders/2", "order.placed"), withData({ state: "open" })) },
    found: { events_consistent: [{ seq: 19, type: "order.placed", subject: "orders/2" }] }
  },
  {
    given: "a version that was skipped",
    damage: {
      events: change(about("inventory/5"), (event) =>
        event.type === "inventory.updated" && event.data.version === 2 ? withData({ version: 7 })(event) : event
      )
    },
    found: {
      event_versions: [
        { seq: 16, type: "inventory.updated", subject: "inventory/5", version: { found: 7, expected: 2 } },
        { seq: 33, type: "inventory.updated", subject: "inventory/5", version: { found: 3, expected: 8 } }
      ]
    }
  },
  {
    given: "a category whose creation has no event",
    damage: { events: without(about("categories/3", "category.created")) },
    found: {
      event_versions: [{ seq: 3, type: "category.deleted", subject: "categories/3", problem: "not created before" }],
      events_replay_categories: [{ subject: "categories/3", problem: "no event is about it" }]
    }
  },
  {
    given: "an order that was completed and changed afterwards",
    damage: {
      events: again(
        about("orders/2", "order.completed"),
        (event) => ({ ...event, type: "order.updated" }) as EventRecord
      )
    },
    found: { ends_are_final: [{ seq: 47, type: "order.updated", subject: "orders/2", after: "order.completed" }] }
  },
  {
    given: "a category with a description that is in no event",
    damage: {
      categories: change(
        ({ category }) => category.id === 1,
        (row) => ({ ...row, category: { ...row.category, description: "Bark" } })
      )
    },
    found: { events_replay_categories: [{ subject: "categories/1", description: { found: "Bark", expected: null } }] }
  },
  {
    given: "a record with an external id that is in no event",
    damage: {
      records: change(
        () => true,
        (row) => ({ ...row, externalId: "A-2" })
      )
    },
    found: { events_replay_records: [{ subject: "pets/1", externalId: { found: "A-2", expected: "A-1" } }] }
  },
  {
    given: "a pet with a name that is in no event",
    damage: { pets: changeOf(1, (pet) => ({ ...pet, name: "Hasso" })) },
    found: { events_replay_pets: [{ subject: "pets/1", name: { found: "Hasso", expected: "Rex" } }] }
  },
  {
    given: "a stock version that is in no event",
    damage: { pets: changeOf(3, (pet) => ({ ...pet, stockVersion: 2 })) },
    found: { events_replay_inventory: [{ subject: "inventory/3", version: { found: 2, expected: 1 } }] }
  },
  {
    given: "a ship date that is in no event",
    damage: {
      orders: changeOf(4, (row) => ({ ...row, order: { ...row.order, shipDate: "2026-05-04T09:30:00.000Z" } }))
    },
    found: {
      events_replay_orders: [{ subject: "orders/4", shipDate: { found: "2026-05-04T09:30:00.000Z", expected: null } }]
    }
  },
  {
    given: "an order without an event",
    damage: { events: without(about("orders/4")) },
    found: { events_replay_orders: [{ subject: "orders/4", problem: "no event is about it" }] }
  },
  {
    given: "a cancelled order without an event",
    damage: { events: without(about("orders/3")) },
    found: { events_replay_orders: [{ subject: "orders/3", problem: "no event is about it" }] }
  },
  ...[3, 4].map((id) => ({
    given: `${id === 4 ? "a deleted pet" : "a pet"} without an event`,
    damage: {
      events: without(({ subject }) => subject === `pets/${id}` || subject === `inventory/${id}`)
    },
    found: {
      ...(id === 4 ? { order_pets: [{ seq: 32, type: "order.placed", orderId: 6, petId: 4 }] } : {}),
      movements_have_events: [
        { petId: id, lastMovement: { at: start, onHand: 0, reserved: 0, held: false }, lastEvent: null }
      ],
      events_replay_pets: [{ subject: `pets/${id}`, problem: "no event is about it" }],
      events_replay_inventory: [{ subject: `inventory/${id}`, problem: "no event is about it" }]
    }
  })),
  {
    given: "events of an order that is lost",
    damage: { orders: (orders) => orders.filter(({ id }) => id !== 4) },
    found: { events_replay_orders: [{ subject: "orders/4", problem: "there is no such row" }] }
  }
]
