import type { EventRecord } from "@petstore/core/ports"
import type { OpenEvents } from "../../sql/CommandStatements.ts"
import { selectEvents, withTrace } from "../../sql/EventStatements.ts"
import { Asked, all, first } from "../../sql/Program.ts"

/** An event as the database has it. */
export interface EventRow {
  readonly seq: number
  readonly id: string
  readonly type: EventRecord["type"]
  readonly subject: string
  readonly timestamp: string
  readonly data: string
  readonly trace: string | null
}

// Type and data belong together because they were written together.
export const toEvent = ({ data, id, seq, subject, timestamp, trace, type }: EventRow): EventRecord =>
  withTrace({ id, type, timestamp, seq, subject, data: JSON.parse(data) } as EventRecord, trace)

// In a transaction or snapshot nothing can be numbered: what is pending follows in the order that it would get.
export const pendingEvents = `(SELECT row_number() OVER (ORDER BY latest, ticket) + (SELECT last FROM petstore_log_end) AS seq,
      id, type, subject, timestamp, data, trace
      FROM (SELECT *, max(ticket) OVER (PARTITION BY xid) AS latest FROM petstore_pending) AS p) AS pending`

const selectEnd = "SELECT last + (SELECT count(*) FROM petstore_pending) AS last FROM petstore_log_end"

const selectPage = `SELECT * FROM (
    (SELECT seq, id, type, subject, timestamp, data, trace FROM petstore_events WHERE seq > ? ORDER BY seq LIMIT ?)
    UNION ALL SELECT * FROM ${pendingEvents} WHERE seq > ?
  ) AS events ORDER BY seq LIMIT ?`

const page = all(selectPage, toEvent)

const selectSubject = (isReversed: boolean): string => {
  const place = `subject = ? AND seq ${isReversed ? "<" : ">"} ?`
  const order = `ORDER BY seq${isReversed ? " DESC" : ""} LIMIT ?`
  return `SELECT * FROM ((${selectEvents} WHERE ${place} ${order})
    UNION ALL SELECT * FROM ${pendingEvents} WHERE ${place}) AS events ${order}`
}

const bySubject = all(selectSubject(false), toEvent)
const reversedBySubject = all(selectSubject(true), toEvent)

/** The events of a subject, by their index, with those that are pending. */
export const ofSubject = (subject: string, position: number, limit: number, isReversed: boolean) => {
  const at = bounded(position)
  return new Asked(isReversed ? reversedBySubject : bySubject, [subject, at, limit, subject, at, limit])
}

/** A position of the log, for a statement. */
export const bounded = (after: number): number => Math.min(Math.max(Math.floor(after), 0), Number.MAX_SAFE_INTEGER)

/** The log as a transaction or a snapshot reads it, which do not wait for what others number. */
export const openEvents: OpenEvents = {
  latest: first(selectEnd, ({ last }: { readonly last: number }) => Number(last)),
  scan: (after, limit) => new Asked(page, [bounded(after), limit, bounded(after), limit])
}
