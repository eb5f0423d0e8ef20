import { orderStates } from "../../domain/orders/OrderState.ts"
import { compare, sameFields } from "./Finding.ts"
import { canFollow, inBounds, isAttributed, sameTrace, shownTrace } from "./Ledger.ts"
import type { Rule } from "./Report.ts"

export const ledgerRules: ReadonlyArray<Rule> = [
  {
    name: "ledger_numbered",
    demands: "The movements of a pet are numbered without a gap, from 1 to the last one named by its row.",
    check: {
      movement: ({ before: { last }, movement: { petId, seq } }) =>
        seq === last + 1 || { petId, seq, expected: last + 1 },
      pet: ({ ledger: { last }, record: { id: petId, lastMovement } }) =>
        last > 0
          ? lastMovement === last || compare({ petId }, { lastMovement }, { lastMovement: last })
          : { petId, lastMovement, problem: "it has no movement" }
    }
  },
  {
    name: "ledger_adds_up",
    demands: "The stock of a pet, its hold included, is what its movements add up to.",
    check: {
      pet: ({ ledger, record: { id: petId, stock } }) =>
        sameFields(stock, ledger.stock) || compare({ petId }, { ...stock }, { ...ledger.stock })
    }
  },
  {
    name: "never_oversold",
    demands: "After every movement, reserved units were at most those on hand, and neither was below zero.",
    check: {
      movement: ({ after, movement: { petId, seq } }) =>
        inBounds(after) || { petId, seq, onHand: after.onHand, reserved: after.reserved }
    }
  },
  {
    name: "movements_fit",
    demands:
      "A movement changes only what its kind allows, in a state that allows it. The first is initial; the last of a deleted pet, and of no other, is its removal.",
    check: {
      movement: ({ before, movement }) => canFollow(movement, before) || { ...movement, before: before.stock },
      pet: ({ ledger, record: { deleted, id: petId } }) =>
        deleted === ledger.removed || compare({ petId }, { deleted }, { deleted: ledger.removed })
    }
  },
  {
    name: "movements_known",
    demands:
      "A movement has an actor and a pet that exists, and if its kind is for orders, an order that exists. Only an adjustment has a note, a reference or a time of its own.",
    check: {
      movement: ({ movement, pet }) =>
        (isAttributed(movement) && pet !== undefined && movement.actor !== "") || { ...movement },
      movementOfOrder: ({ movement, order }) => (order === undefined ? { ...movement } : undefined)
    }
  },
  {
    name: "movements_have_events",
    demands:
      "The events of a pet's stock show all of its movements: their times, the stock after them, and the reason of an adjustment.",
    check: {
      pet: ({ ledger, record: { id: petId }, trace }) =>
        sameTrace(ledger.trace, trace) || {
          petId,
          lastMovement: shownTrace(ledger.trace),
          lastEvent: shownTrace(trace)
        }
    }
  },
  {
    name: "order_movements",
    demands:
      "The movements of an order add up to its state: its quantity is reserved while it is open, and shipped once it is complete, on its pet only.",
    check: {
      orderEffect: ({ effect: { onHand, reserved }, order, orderId, petId }) => {
        const units = order === undefined ? "none" : orderStates[order.state]?.units
        const quantity = order?.quantity ?? 0
        const expected = {
          onHand: units === "shipped" ? 0 - quantity : 0,
          reserved: units === "reserved" ? quantity : 0
        }
        return (
          (onHand === expected.onHand && reserved === expected.reserved) ||
          compare({ orderId, petId }, { onHand, reserved }, expected)
        )
      }
    }
  },
  {
    name: "order_closed_once",
    demands:
      "A complete order was shipped once, a cancelled one with a pet cancelled once, and an expired one expired once, each by its last movement. No other order was.",
    check: {
      orderEffect: ({ effect: { closed, late }, order, orderId, petId }) => {
        const end = order?.petId === undefined ? undefined : orderStates[order.state]?.end
        return (
          (closed === end?.movement && late === undefined) ||
          compare({ orderId, petId }, { closed, late }, { closed: end?.movement, late: undefined })
        )
      }
    }
  }
]
