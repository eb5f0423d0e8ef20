import * as Effect from "effect/Effect"
import { type OrderRecord, orders as table } from "../orders/orderTable.ts"
import { eachIn, nextOf, sourceOf } from "./Buckets.ts"
import { OrderEffects } from "./OrderEffects.ts"
import { recordRows } from "./RecordRows.ts"
import type { Run } from "./Run.ts"

/** Checks orders with their movements and events. */
export const verifyOrders = (run: Run) => {
  const { buckets, log, nextNoted, report, results, store, takeFacts } = run
  const records = recordRows(run, "orders")
  const [checkMovement, checkEffect] = [report.on("movementOfOrder"), report.on("orderEffect")]
  const rows = sourceOf(store, table)
  return buckets.each(
    [nextOf(rows), records.next],
    nextNoted("orders"),
    Effect.fnUntraced(function* (range) {
      const orders = new Map<number, OrderRecord>()
      yield* eachIn(rows, range, (order) => orders.set(order.id, order))
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
        records.compare(record.id)
        log.compareOrder(record)
      }
      records.finish()
      log.finish()
      results.finish()
    })
  )
}
