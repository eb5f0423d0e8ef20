/** The first passes: they read tables in their own order, and note what rows show about rows of other tables. */

import * as Effect from "effect/Effect"
import { eventTypes } from "../../domain/Event.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import { rowOf } from "./checkpoint/foldEvents.ts"
import type { RemovedEvents } from "./checkpoint/noteCheckpoints.ts"
import { isReplayable } from "./eventRules.ts"
import { beforeAll, eachPage } from "./pages.ts"
import { checkIds, type Run } from "./Run.ts"
import { createdRow } from "./StoredResults.ts"

/** Notes which creation each stored result belongs to. */
export const noteStoredResults = ({ note, report, spill, store }: Run) => {
  const [checkTimes, checkResult] = [report.on("times"), report.on("storedResult")]
  let before = { accountId: Number.NEGATIVE_INFINITY, key: "" }
  return eachPage(
    store.idempotency.scan,
    { accountId: beforeAll, key: "" },
    ({ accountId, key }) => ({ accountId, key }),
    (records) => {
      for (const { fingerprint: _, ...record } of records) {
        const { accountId, createdAt, key } = record
        checkTimes({ row: { accountId, key }, times: { createdAt } })
        const isNext = accountId > before.accountId || (accountId === before.accountId && key > before.key)
        before = { accountId, key }
        const row = isNext ? createdRow(record) : undefined
        if (row === undefined) checkResult({ record, creation: undefined })
        else note(row.table, row.id, ["storedResult", record, row.id])
      }
      return spill
    }
  )
}

/** The pet in an event of an order. */
const petOfOrder = ({ data, type }: EventRecord): number | undefined =>
  eventTypes[type].collection === "orders" && "petId" in data ? data.petId : undefined

/** Checks each event by itself, and notes it with the row that it is about. */
export const noteEvents = ({ note, report, spill, store }: Run, removed: RemovedEvents) => {
  const [check, checkTimes] = [report.on("event"), report.on("times")]
  let latest = removed.last
  return eachPage(
    store.events.scan,
    beforeAll,
    ({ seq }) => seq,
    Effect.fnUntraced(function* (page) {
      for (const event of page) {
        const { seq, timestamp, type } = event
        checkTimes({ row: { seq }, times: { timestamp } })
        check({ event, expectedSeq: latest + 1 })
        latest = seq
        if (!isReplayable(event)) continue
        const { id, table } = rowOf(event)
        const petId = petOfOrder(event)
        if (petId !== undefined) note("pets", petId, ["orderEvent", seq, type, id, petId])
        note(table, table === "messages" ? String(id) : id, seq)
      }
      yield* spill
    })
  )
}

/** Checks each message by itself, and notes it with its events. */
export const noteMessages = ({ note, report, spill, store }: Run) => {
  const [checkId, check, checkTimes] = [checkIds(report, "messages"), report.on("messageRow"), report.on("times")]
  return Effect.gen(function* () {
    // No list starts before the empty text.
    const nameless = yield* store.messages.find("")
    if (nameless !== undefined) checkId(nameless.id)
    yield* eachPage(
      (after, limit) => store.messages.list({ after, limit }),
      "",
      ({ id }) => id,
      (page) => {
        for (const record of page) {
          const { dueAt, id, lease } = record
          checkId(id)
          checkTimes({ row: { messageId: id }, times: { dueAt, leaseUntil: lease.until } })
          check(record)
          note("messages", id, ["message", record])
        }
        return spill
      }
    )
  })
}

/** Checks each order by itself, and notes it with its pet. */
export const noteOrders = ({ note, report, spill, store }: Run) => {
  const [checkId, check] = [checkIds(report, "orders"), report.on("order")]
  return eachPage(
    store.orders.scan,
    beforeAll,
    ({ id }) => id,
    (page) => {
      for (const order of page) {
        const { petId, quantity = 0, state } = order.order
        checkId(order.id)
        check(order)
        if (petId !== undefined) note("pets", petId, ["order", order.id, petId, state, quantity])
      }
      return spill
    }
  )
}
