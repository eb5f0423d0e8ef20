import { about, at, change, changeOf, type Fault, start, swapped, withData, written } from "./Fault.ts"

/** Faults of the stock ledger. */
export const ledgerFaults: ReadonlyArray<Fault> = [
  {
    given: "a gap in a ledger",
    damage: { movements: change(at(5, 3), (movement) => ({ ...movement, seq: 4 })) },
    found: {
      ledger_numbered: [
        { petId: 5, seq: 4, expected: 3 },
        { petId: 5, lastMovement: { found: 3, expected: 4 } }
      ]
    }
  },
  {
    given: "a ledger that lost its last movement",
    damage: { movements: (movements) => movements.filter((movement) => !at(2, 2)(movement)) },
    found: {
      ledger_numbered: [{ petId: 2, lastMovement: { found: 2, expected: 1 } }],
      ledger_adds_up: [{ petId: 2, held: { found: true, expected: false } }],
      movements_have_events: [
        {
          petId: 2,
          lastMovement: { at: start, onHand: 1, reserved: 0, held: false },
          lastEvent: { at: start, onHand: 1, reserved: 0, held: true }
        }
      ]
    }
  },
  {
    given: "a pet with one unit more than its movements add up to",
    damage: {
      pets: changeOf(5, (pet) => ({ ...pet, stock: { ...pet.stock, onHand: 5 } })),
      events: change(about("inventory/5"), (event) =>
        event.type === "inventory.updated" && event.data.version === 3
          ? withData({ quantity: 5, available: 4 })(event)
          : event
      )
    },
    found: {
      ledger_adds_up: [{ petId: 5, onHand: { found: 5, expected: 4 } }],
      movements_have_events: [
        {
          petId: 5,
          lastMovement: { at: start, onHand: 4, reserved: 1, held: false },
          lastEvent: { at: start, onHand: 5, reserved: 1, held: false }
        }
      ]
    }
  },
  {
    given: "units that were reserved before they were on hand",
    damage: {
      movements: swapped(1, 2)
    },
    found: { never_oversold: [{ petId: 1, seq: 2, onHand: 1, reserved: 2 }] }
  },
  {
    given: "a sold pet that lost its only movement",
    damage: { movements: (movements) => movements.filter(({ petId }) => petId !== 3) },
    found: {
      ledger_numbered: [{ petId: 3, lastMovement: 1, problem: "it has no movement" }],
      movements_have_events: [
        { petId: 3, lastMovement: null, lastEvent: { at: start, onHand: 0, reserved: 0, held: false } }
      ]
    }
  },
  {
    given: "a movement at another time than its event",
    damage: { movements: change(at(5, 2), (movement) => ({ ...movement, at: "2026-05-04T09:30:00.000Z" })) },
    found: {
      movements_have_events: [
        {
          petId: 5,
          lastMovement: { at: start, onHand: 4, reserved: 1, held: false },
          lastEvent: { at: start, onHand: 4, reserved: 1, held: false }
        }
      ]
    }
  },
  {
    given: "a second initial movement",
    damage: { movements: change(at(5, 2), (movement) => ({ ...movement, kind: "initial" })) },
    found: {
      movements_fit: [
        {
          ...written(5, 2),
          kind: "initial",
          deltaOnHand: 3,
          deltaReserved: 0,
          before: { onHand: 1, reserved: 0, held: false }
        }
      ]
    }
  },
  {
    given: "a deleted pet whose ledger does not end with its removal",
    damage: { movements: change(at(4, 4), (movement) => ({ ...movement, kind: "written_off" })) },
    found: { movements_fit: [{ petId: 4, deleted: { found: true, expected: false } }] }
  },
  {
    given: "a hold with an order",
    damage: { movements: change(at(2, 2), (movement) => ({ ...movement, orderId: 5 })) },
    found: { movements_known: [{ ...written(2, 2), kind: "held", deltaOnHand: 0, deltaReserved: 0, orderId: 5 }] }
  },
  {
    given: "a movement without an actor",
    damage: { movements: change(at(2, 2), (movement) => ({ ...movement, actor: "" })) },
    found: { movements_known: [{ ...written(2, 2), kind: "held", deltaOnHand: 0, deltaReserved: 0, actor: "" }] }
  },
  {
    given: "movements of an order that there is not",
    damage: {
      movements: change(
        ({ orderId }) => orderId === 3,
        (movement) => ({ ...movement, orderId: 99 })
      )
    },
    found: {
      movements_known: [
        { ...written(1, 6), kind: "reserved", deltaOnHand: 0, deltaReserved: 2, orderId: 99 },
        { ...written(1, 7), kind: "cancelled", deltaOnHand: 0, deltaReserved: -2, orderId: 99 }
      ],
      order_closed_once: [{ orderId: 3, petId: 1, closed: { found: null, expected: "cancelled" } }]
    }
  },
  {
    given: "a hold that happened at no time",
    damage: { movements: change(at(2, 2), (movement) => ({ ...movement, occurredAt: "soon" })) },
    found: {
      times_valid: [{ petId: 2, seq: 2, occurredAt: "soon" }],
      movements_known: [{ ...written(2, 2), kind: "held", deltaOnHand: 0, deltaReserved: 0, occurredAt: "soon" }]
    }
  }
]
