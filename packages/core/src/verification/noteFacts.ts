/** The first passes: they read tables in their own order, and note what rows show about rows of other tables. */

import * as Effect from "effect/Effect"
import { type EventType, eventTypes } from "../events/Event.ts"
import type { EventRecord } from "../events/eventTable.ts"
import { idempotencyKeys, messages, orders } from "../tables/index.ts"
import { rowOf, tableOf } from "./checkpoint/foldEvents.ts"
import type { RemovedEvents } from "./checkpoint/noteCheckpoints.ts"
import { isReplayable } from "./eventRules.ts"
import { beforeAll, eachPage, eachPageOf } from "./pages.ts"
import { bySeq, checkIds, type Run } from "./Run.ts"
import { createdRow, isOfChange } from "./StoredResults.ts"

/** Notes which creation each stored result belongs to. */
export const noteStoredResults = ({ note, report, spill, store }: Run) => {
  const [checkTimes, checkResult] = [report.on("times"), report.on("storedResult")]
  let before = { accountId: Number.NEGATIVE_INFINITY, key: "" }
  return eachPageOf(store, idempotencyKeys, (records) => {
    for (const { fingerprint: _, ...record } of records) {
      const { accountId, createdAt, key } = record
      checkTimes({ row: { accountId, key }, times: { createdAt } })
      const isNext = accountId > before.accountId || (accountId === before.accountId && key > before.key)
      before = { accountId, key }
      if (isNext && isOfChange(record)) continue
      const row = isNext ? createdRow(record) : undefined
      if (row === undefined) checkResult({ record, creation: undefined })
      else note(row.table, row.id, ["storedResult", record, row.id])
    }
    return spill
  })
}

/** The pet in an event of an order. */
const petOfOrder = ({ data, type }: EventRecord): number | undefined =>
  eventTypes[type].petField !== undefined && "petId" in data ? data.petId : undefined

const seqOf = ({ seq }: { readonly seq: number }): number => seq

/** Checks the numbers of events, and notes each with the row that it is about, with which it is checked. */
export const noteEvents = ({ checkEvent, note, report, spill, store }: Run, removed: RemovedEvents) => {
  const { find, scan, scanOutlines } = store.events
  const checkNumber = report.on("eventNumber")
  let latest = removed.last
  const noteNext = (seq: number): void => {
    checkNumber({ seq, expectedSeq: latest + 1 })
    latest = seq
  }
  const noteAbout = (seq: number, type: EventType, id: number | string, petId: number | undefined): void => {
    const table = tableOf(type)
    if (petId !== undefined) note("pets", petId, ["orderEvent", seq, type, id, petId])
    note(table, table === "messages" ? String(id) : id, seq)
  }
  const noteWhole = (event: EventRecord): void => {
    if (isReplayable(event)) noteAbout(event.seq, event.type, rowOf(event).id, petOfOrder(event))
    else checkEvent(event)
  }
  if (scanOutlines === undefined) {
    return eachPage(scan, beforeAll, seqOf, (page) => {
      for (const event of page) {
        noteNext(event.seq)
        noteWhole(event)
      }
      return spill
    })
  }
  return eachPage(
    scanOutlines,
    beforeAll,
    seqOf,
    Effect.fnUntraced(function* (page) {
      const unknown = page.flatMap(({ about, seq }) => (about === undefined ? [seq] : []))
      const whole = unknown.length > 0 ? bySeq(yield* find(unknown)) : undefined
      // Events of a row are replayed in the order in which they are noted.
      for (const { about, seq } of page) {
        noteNext(seq)
        if (about !== undefined) noteAbout(seq, about.type, about.id, about.petId)
        else {
          for (const event of whole?.get(seq) ?? []) noteWhole(event)
          whole?.delete(seq)
        }
      }
      yield* spill
    })
  )
}

/** Checks each message by itself, and notes it with its events. */
export const noteMessages = ({ note, report, spill, store }: Run) => {
  const [checkId, check, checkTimes] = [checkIds(report, "messages"), report.on("messageRow"), report.on("times")]
  return eachPageOf(store, messages, (page) => {
    for (const record of page) {
      const { dueAt, id, lease } = record
      checkId(id)
      checkTimes({ row: { messageId: id }, times: { dueAt, leaseUntil: lease.until } })
      check(record)
      note("messages", id, ["message", record])
    }
    return spill
  })
}

/** Checks each order by itself, and notes it with its pet. */
export const noteOrders = ({ note, report, spill, store }: Run) => {
  const [checkId, check] = [checkIds(report, "orders"), report.on("order")]
  return eachPageOf(store, orders, (page) => {
    for (const order of page) {
      const { petId, quantity = 0, state } = order.order
      checkId(order.id)
      check(order)
      if (petId !== undefined) note("pets", petId, ["order", order.id, petId, state, quantity])
    }
    return spill
  })
}
