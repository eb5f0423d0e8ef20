import type { Row } from "../../src/runtime/verification/Finding.ts"
import type { EndingRecord } from "../../src/tables/endingTable.ts"
import type { EventRecord } from "../../src/tables/eventTable.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { about, at, change, changeOf, type Fault, renumbered, swapped, withData } from "./Fault.ts"

const ending = { orderId: 3, state: "cancelled", petId: 1, actor: "owner" } as const

const wrongEndings: ReadonlyArray<readonly [given: string, fields: Partial<EndingRecord>, shown: Row]> = [
  ["in a state that is no end", { state: untyped("open") }, { ...ending, state: "open" }],
  ["by nobody", { actor: "" }, { ...ending, actor: "" }],
  ["for no reason", { reason: "" }, { ...ending, reason: "" }],
  ["of another pet", { petId: 2 }, { orderId: 3, petId: { found: 2, expected: 1 } }],
  ["of another owner", { owner: "7 ada" }, { orderId: 3, owner: { found: "7 ada", expected: null } }],
  ["of an order that goes on", { orderId: 1 }, { orderId: 1, state: { found: "cancelled", expected: "open" } }]
]

/** Faults of the ends of orders. */
const endingFaults = wrongEndings.map(
  ([given, fields, shown]): Fault => ({
    given: `the end of an order ${given}`,
    damage: {
      endings: change(
        ({ orderId }) => orderId === 3,
        (row) => ({ ...row, ...fields })
      )
    },
    found: { order_endings: [shown] }
  })
)

/** Faults of orders, their units and their movements. */
export const orderFaults: ReadonlyArray<Fault> = [
  {
    given: "a complete order without a ship date",
    damage: {
      orders: changeOf(2, (row) => ({ ...row, order: { state: "complete", petId: 1, quantity: 1 } })),
      events: change(about("orders/2"), withData({ shipDate: undefined }))
    },
    found: {
      order_contents: [{ orderId: 2, state: "complete", petId: 1, quantity: 1 }],
      events_consistent: [
        { seq: 19, type: "order.placed", subject: "orders/2" },
        { seq: 20, type: "order.completed", subject: "orders/2" }
      ]
    }
  },
  {
    given: "a draft with a pet",
    damage: {
      orders: changeOf(4, (row) => ({ ...row, order: { state: "draft", petId: 1, quantity: 3 } })),
      events: change(about("orders/4"), withData({ petId: 1 }))
    },
    found: {
      order_contents: [{ orderId: 4, state: "draft", petId: 1, quantity: 3 }],
      events_consistent: [{ seq: 28, type: "order.placed", subject: "orders/4" }]
    }
  },
  {
    given: "an open order that expires at no time",
    damage: { orders: changeOf(1, (row) => ({ ...row, order: { ...row.order, expiresAt: "soon" } })) },
    found: { order_contents: [{ orderId: 1, state: "open", petId: 1, quantity: 2, expiresAt: "soon" }] }
  },
  {
    given: "a complete order that ships at no time",
    damage: {
      orders: changeOf(2, (row) => ({ ...row, order: { ...row.order, shipDate: "soon" } })),
      events: change(about("orders/2"), withData({ shipDate: "soon" }))
    },
    found: {
      order_contents: [{ orderId: 2, state: "complete", petId: 1, quantity: 1, shipDate: "soon" }],
      events_consistent: [
        { seq: 19, type: "order.placed", subject: "orders/2" },
        { seq: 20, type: "order.completed", subject: "orders/2" }
      ]
    }
  },
  {
    given: "a cancelled order that expires",
    damage: {
      orders: changeOf(3, (row) => ({ ...row, order: { ...row.order, expiresAt: "2030-01-01T00:00:00.000Z" } }))
    },
    found: {
      order_contents: [{ orderId: 3, state: "cancelled", petId: 1, quantity: 2, expiresAt: "2030-01-01T00:00:00.000Z" }]
    }
  },
  {
    given: "an order that has expired, although it was cancelled",
    damage: {
      orders: changeOf(3, (row) => ({
        ...row,
        order: { ...row.order, state: "expired", expiresAt: "2030-01-01T00:00:00.000Z" }
      }))
    },
    found: {
      order_endings: [{ orderId: 3, state: { found: "cancelled", expected: "expired" } }],
      order_closed_once: [{ orderId: 3, petId: 1, closed: { found: "cancelled", expected: "expired" } }],
      events_replay_orders: [
        {
          subject: "orders/3",
          state: { found: "expired", expected: "cancelled" },
          end: { found: "order.expired", expected: "order.cancelled" }
        }
      ]
    }
  },
  {
    given: "an order that was placed by a clock a year ahead",
    damage: {
      orders: changeOf(1, (row) => ({ ...row, order: { ...row.order, expiresAt: "1971-01-01T00:15:00.000Z" } }))
    },
    found: { reservations_end: [{ orderId: 1, expiresAt: "1971-01-01T00:15:00.000Z" }] }
  },
  {
    given: "an order of an owner who cannot be one",
    damage: { orders: changeOf(2, (row) => ({ ...row, owner: "ada" })) },
    found: { order_owners: [{ orderId: 2, owner: "ada" }] }
  },
  {
    given: "an order that was placed after its pet was deleted",
    damage: {
      events: (events) => {
        const ofPet = (event: EventRecord) => ["pets/4", "inventory/4"].includes(event.subject)
        return renumbered([...events.filter(ofPet), ...events.filter((event) => !ofPet(event))])
      }
    },
    found: { order_pets: [{ seq: 39, type: "order.placed", orderId: 6, petId: 4 }] }
  },
  {
    given: "an open order of a deleted pet",
    damage: {
      orders: changeOf(6, (record) => ({ ...record, order: { state: "open", petId: 4, quantity: 1 } }))
    },
    found: {
      order_endings: [{ orderId: 6, state: { found: "cancelled", expected: "open" } }],
      order_pets: [{ orderId: 6, petId: 4, state: "open" }],
      reserved_for_open_orders: [{ petId: 4, reserved: { found: 0, expected: 1 } }],
      order_movements: [{ orderId: 6, petId: 4, reserved: { found: 0, expected: 1 } }],
      order_closed_once: [{ orderId: 6, petId: 4, closed: { found: "cancelled", expected: null } }],
      events_replay_orders: [
        {
          subject: "orders/6",
          state: { found: "open", expected: "cancelled" },
          end: { found: null, expected: "order.cancelled" }
        }
      ]
    }
  },
  ...endingFaults,
  {
    given: "the end of an order that there is not",
    damage: {
      endings: change(
        ({ orderId }) => orderId === 6,
        (row) => ({ ...row, orderId: 99 })
      )
    },
    found: { order_endings: [{ ...ending, orderId: 99, petId: 4 }] }
  },
  {
    given: "an open order of fewer units than are reserved",
    damage: {
      orders: changeOf(1, (row) => ({ ...row, order: { state: "open", petId: 1, quantity: 1 } })),
      events: change(about("orders/1"), withData({ quantity: 1 }))
    },
    found: {
      reserved_for_open_orders: [{ petId: 1, reserved: { found: 2, expected: 1 } }],
      order_movements: [{ orderId: 1, petId: 1, reserved: { found: 2, expected: 1 } }],
      idempotency_results: [
        { accountId: 0, key: "open", operation: "orders.place", quantity: { found: 2, expected: 1 } }
      ]
    }
  },
  {
    given: "a movement with the wrong order",
    damage: { movements: change(at(1, 3), (movement) => ({ ...movement, orderId: 4 })) },
    found: {
      order_movements: [
        { orderId: 4, petId: 1, reserved: { found: 2, expected: 0 } },
        { orderId: 1, petId: 1, reserved: { found: 0, expected: 2 } }
      ]
    }
  },
  {
    given: "a cancelled order whose units were only unreserved",
    damage: {
      movements: change(
        ({ kind, petId }) => kind === "cancelled" && petId === 1,
        (movement) => ({ ...movement, kind: "unreserved" })
      )
    },
    found: { order_closed_once: [{ orderId: 3, petId: 1, closed: { found: null, expected: "cancelled" } }] }
  },
  {
    given: "a reservation that an order left behind on another pet",
    damage: { movements: change(at(1, 9), (movement) => ({ ...movement, orderId: 1 })) },
    found: {
      order_movements: [
        { orderId: 5, petId: 1, reserved: { found: 1, expected: 0 } },
        { orderId: 1, petId: 1, reserved: { found: 1, expected: 2 } }
      ]
    }
  },
  {
    given: "an order that was cancelled on a pet that it had left",
    damage: { movements: change(at(1, 9), (movement) => ({ ...movement, kind: "cancelled" })) },
    found: { order_closed_once: [{ orderId: 5, petId: 1, closed: { found: "cancelled", expected: null } }] }
  },
  {
    given: "an order that was shipped before its units were reserved",
    damage: { movements: swapped(1, 4) },
    found: { order_closed_once: [{ orderId: 2, petId: 1, late: { found: 5, expected: null } }] }
  }
]
