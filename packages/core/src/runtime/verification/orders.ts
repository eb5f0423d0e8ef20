/** Orders, their movements and their pets. */

import * as Effect from "effect/Effect"
import { isOrderOwner } from "../../domain/access/Principal.ts"
import { isEnded, orderStates } from "../../domain/orders/OrderState.ts"
import { longestReservationMillis } from "../../domain/orders/Reservation.ts"
import { plusMillis } from "../../domain/Timestamp.ts"
import { endings } from "../../tables/endingTable.ts"
import { type OrderRecord, orders as table } from "../../tables/orderTable.ts"
import { eachIn, nextOf, sourceOf } from "./Buckets.ts"
import { isOrderContent } from "./eventRules.ts"
import { compare } from "./Finding.ts"
import { OrderEffects } from "./OrderEffects.ts"
import { eachRowOf, type Pass, recordRows } from "./Pass.ts"
import { clockToleranceMillis, type Rule } from "./Report.ts"
import { isStoredTime } from "./storedForms.ts"

export const orderRules: ReadonlyArray<Rule> = [
  {
    name: "order_contents",
    demands:
      "A draft has no pet; an open order has a pet and a quantity of 1 or more; a complete one has a ship date too. An expired order has the time at which it expires, an open one may have it, and no other does.",
    check: { order: ({ id: orderId, order }) => isOrderContent(order) || { orderId, ...order } }
  },
  {
    name: "reservations_end",
    demands: "An open order expires within 365 days, the longest time that can be asked for.",
    check: {
      order: ({ id: orderId, order: { expiresAt, state } }, latest) =>
        state !== "open" ||
        expiresAt === undefined ||
        !isStoredTime(expiresAt) ||
        expiresAt <= plusMillis(latest, longestReservationMillis - clockToleranceMillis) || { orderId, expiresAt }
    }
  },
  {
    name: "order_owners",
    demands: "An order belongs to nobody, to an account, or to one user of an account.",
    check: { order: ({ id: orderId, owner }) => owner === undefined || isOrderOwner(owner) || { orderId, owner } }
  },
  {
    name: "order_endings",
    demands:
      "A recorded end of an order is that of a cancelled or expired order, with its state, pet and owner, and has an actor. Only a cancelled order has a reason.",
    check: {
      ending: ({ ending, order }) => {
        const { actor, orderId, owner, petId, reason, state } = ending
        const isSound =
          isEnded(state) && actor !== "" && (reason === undefined || (reason !== "" && state === "cancelled"))
        const stored = { state, petId, owner }
        const expected = order && { state: order.order.state, petId: order.order.petId, owner: order.owner }
        return expected === undefined || !isSound ? { ...ending } : compare({ orderId }, stored, expected)
      }
    }
  },
  {
    name: "order_pets",
    demands:
      "The pet of an order exists. It was not deleted when the order was placed or changed, and is not while the order is open.",
    check: {
      orderOfPet: ({ order: { orderId, petId, state }, pet }) =>
        (pet !== undefined && !(pet.deleted && orderStates[state]?.units === "reserved")) || { orderId, petId, state },
      orderEventOfPet: ({ event: { orderId, petId, seq, type }, pet }) =>
        (pet !== undefined && pet.end === undefined) || { seq, type, orderId, petId }
    }
  },
  {
    name: "reserved_for_open_orders",
    demands: "The reserved units of a pet are exactly those of its open orders.",
    check: {
      pet: ({ openUnits, record: { id: petId, stock } }) =>
        stock.reserved === openUnits || compare({ petId }, { reserved: stock.reserved }, { reserved: openUnits })
    }
  }
]

/** Checks each order by itself, and notes it with its pet. */
export const noteOrders = (pass: Pass) => {
  const check = pass.report.on("order")
  return eachRowOf(pass, table, { ids: "orders", times: [] }, (record) => {
    const { petId, quantity = 0, state } = record.order
    check(record)
    if (petId !== undefined) pass.note("pets", petId, ["order", record.id, petId, state, quantity])
  })
}

/** Checks orders with their movements and events. */
export const verifyOrders = (pass: Pass) => {
  const { buckets, log, nextNoted, report, results, store, takeFacts } = pass
  const records = recordRows(pass, "orders")
  const [checkMovement, checkEffect] = [report.on("movementOfOrder"), report.on("orderEffect")]
  const checkEnding = report.on("ending")
  const rows = sourceOf(store, table)
  const ends = sourceOf(store, endings)
  return buckets.each(
    [nextOf(rows), nextOf(ends), records.next],
    nextNoted("orders"),
    Effect.fnUntraced(function* (range) {
      const orders = new Map<number, OrderRecord>()
      yield* eachIn(rows, range, (order) => orders.set(order.id, order))
      yield* eachIn(ends, range, (ending) => checkEnding({ ending, order: orders.get(ending.orderId) }))
      yield* records.read(range)
      const effects = new OrderEffects(checkEffect, orders)
      yield* takeFacts("orders", range.bucket, (fact) => {
        if (fact[0] !== "movement") return
        const [, petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at] = fact
        const movement = { petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at }
        checkMovement({ movement, order: orders.get(orderId) })
        effects.add(movement)
      })
      for (const record of orders.values()) {
        effects.checkOrder(record)
        records.compare(record.id, record.owner)
        log.compareOrder(record)
      }
      records.finish()
      log.finish()
      results.finish()
    })
  )
}
