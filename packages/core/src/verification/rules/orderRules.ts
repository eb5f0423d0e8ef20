/** Orders. */

import { isOrderOwner, orderStates } from "../../orders/OrderState.ts"
import { isOrderContent } from "../eventRules.ts"
import { compare } from "../Finding.ts"
import type { Rule } from "../Rule.ts"

export const orderRules: ReadonlyArray<Rule> = [
  {
    name: "order_contents",
    demands:
      "A draft has no pet; an open order has a pet and a quantity of 1 or more; a complete one has a ship date too. An open order may have a time at which it expires, an expired one has it, and no other order does.",
    check: { order: ({ id: orderId, order }) => isOrderContent(order) || { orderId, ...order } }
  },
  {
    name: "order_owners",
    demands: "An order belongs to nobody, to an account, or to one user of an account.",
    check: { order: ({ id: orderId, owner }) => owner === undefined || isOrderOwner(owner) || { orderId, owner } }
  },
  {
    name: "order_pets",
    demands:
      "The pet of an order exists, and is not deleted while the order is open, nor was it when the order was placed or changed.",
    check: {
      orderOfPet: ({ order: { orderId, petId, state }, pet }) =>
        (pet !== undefined && !(pet.deleted && orderStates[state]?.units === "reserved")) || { orderId, petId, state },
      orderEventOfPet: ({ event: { orderId, petId, seq, type }, pet }) =>
        (pet !== undefined && pet.end === undefined) || { seq, type, orderId, petId }
    }
  },
  {
    name: "reserved_for_open_orders",
    demands: "The reserved units of a pet are the units of its open orders, no more and no less.",
    check: {
      pet: ({ openUnits, record: { id: petId, stock } }) =>
        stock.reserved === openUnits || compare({ petId }, { reserved: stock.reserved }, { reserved: openUnits })
    }
  }
]
