import type { EventRecord, EventRows } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { Sql } from "./Sql.ts"

interface EventRow {
  readonly seq: number
  readonly id: string
  readonly type: EventRecord["type"]
  readonly subject: string
  readonly timestamp: string
  readonly data: string
}

const selectAll = `SELECT seq, id, type, subject, timestamp, data FROM petstore_events
  WHERE seq > ? ORDER BY seq LIMIT ?`
const selectLatest = "SELECT max(seq) AS seq FROM petstore_events"
const insert = "INSERT INTO petstore_events (id, type, subject, timestamp, data) VALUES (?, ?, ?, ?, ?)"

export const deleteUpTo = `DELETE FROM petstore_events
  WHERE seq <= ? AND seq < (SELECT max(seq) FROM petstore_events)`

// Type and data belong together because they were written together.
const toEvent = ({ seq, id, type, subject, timestamp, data }: EventRow) =>
  ({ seq, id, type, subject, timestamp, data: JSON.parse(data) }) as EventRecord

export const eventRows = (sql: Sql): EventRows => {
  const latest = sql.first(selectLatest, ({ seq }: { readonly seq: number | null }) => seq ?? 0)
  const insertEvent = sql.run(insert)
  return {
    append: ({ id, type, subject, timestamp, data }) => insertEvent(id, type, subject, timestamp, JSON.stringify(data)),
    latest: Effect.map(latest(), (seq = 0) => seq),
    scan: sql.all(selectAll, toEvent),
    trim: sql.runOwn(deleteUpTo)
  }
}
