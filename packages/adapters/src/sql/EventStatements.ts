import {
  type EventOutline,
  type EventRecord,
  type EventRows,
  type EventToAppend,
  traceparent
} from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { BoundStatement } from "./IndexRange.ts"
import { oneOf } from "./oneOf.ts"
import { Asked, all, first, type Statement } from "./Program.ts"
import type { RowTarget } from "./RowTarget.ts"
import type { Sql } from "./Sql.ts"

/** An event as a database has it. */
export interface EventRow {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly timestamp: string
  readonly data: string
}

/** Also the trace context, for which no format has a form of its own. */
interface TracedRow extends EventRow {
  readonly trace: string | null
}

export const selectEvents = "SELECT seq, id, type, subject, timestamp, data, trace FROM petstore_events"
const selectPage = `${selectEvents} WHERE seq > ? ORDER BY seq LIMIT ?`
const selectOutlines = "SELECT seq, type, data FROM petstore_events WHERE seq > ? ORDER BY seq LIMIT ?"
const selectLatest = "SELECT max(seq) AS seq FROM petstore_events"

export const eventTarget: RowTarget = {
  table: "petstore_events",
  columns: [
    { name: "id", type: "text" },
    { name: "type", type: "text" },
    { name: "subject", type: "text" },
    { name: "timestamp", type: "text" },
    { name: "data", type: "text" },
    { name: "trace", type: "text" }
  ]
}

export const deleteUpTo = `DELETE FROM petstore_events
  WHERE seq <= ? AND seq < (SELECT max(seq) FROM petstore_events)`

/** How events are stored in the columns of their table. */
export interface EventFormat {
  /** The values of the columns of {@link eventTarget} for an event. */
  readonly values: (
    event: EventToAppend
  ) => readonly [id: string, type: string, subject: string, timestamp: string, data: string, trace: string | null]
  readonly decode: (row: EventRow) => EventRecord
  /** What an event is about that `decode` would return for such a row, if that shows without decoding it. */
  readonly aboutOf?: (row: Pick<EventRow, "type" | "data">) => EventOutline["about"]
}

/** A statement for `ofSubject` of the log. */
export type SelectSubject = (...place: Parameters<NonNullable<EventRows["ofSubject"]>>) => BoundStatement

/** Every column as it is in the event, and the data as JSON. */
export const plainEvents: EventFormat = {
  values: ({ id, type, subject, timestamp, data, [traceparent]: trace = null }) => [
    id,
    type,
    subject,
    timestamp,
    JSON.stringify(data),
    trace
  ],
  decode: ({ seq, id, type, subject, timestamp, data }) =>
    toEvent({ seq, id, type, subject, timestamp, data: JSON.parse(data) })
}

/** An event of values that were read, in the order of its schema. Type and data belong together because they were written together. */
export const toEvent = ({
  data,
  id,
  seq,
  subject,
  timestamp,
  type
}: Omit<EventRow, "data"> & { readonly data: unknown }): EventRecord =>
  ({ id, type, timestamp, seq, subject, data }) as EventRecord

/** An event, with the trace context that its row has. */
export const withTrace = (event: EventRecord, trace: string | null): EventRecord =>
  trace === null ? event : { ...event, [traceparent]: trace }

/** Reads events of a format. Names one that is damaged: no reader can pass it. */
const decodeWith =
  (decode: EventFormat["decode"]) =>
  (row: TracedRow): EventRecord => {
    try {
      return withTrace(decode(row), row.trace)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`The event ${row.seq} cannot be read: ${reason}`, { cause })
    }
  }

/** Reads the log of events in a format; every column as it is in the event, if none is given. */
export class EventStatements {
  readonly latest = first(selectLatest, ({ seq }: { readonly seq: number | null }) => seq ?? 0)
  private readonly page: Statement<ReadonlyArray<EventRecord>>
  private readonly aboutOf: EventFormat["aboutOf"]
  private readonly decode: (row: TracedRow) => EventRecord
  private readonly selectSubject: SelectSubject | undefined

  /** `selectSubject`: if the database builds the index. */
  constructor({ aboutOf, decode }: EventFormat = plainEvents, selectSubject?: SelectSubject) {
    this.selectSubject = selectSubject
    this.aboutOf = aboutOf
    this.decode = decodeWith(decode)
    this.page = all(selectPage, this.decode)
  }

  scan(after: number, limit: number): Asked<ReadonlyArray<EventRecord>> {
    return new Asked(this.page, [after, limit])
  }

  /** The port of a store whose events have these statements. */
  rows(sql: Sql): EventRows {
    const { aboutOf, selectSubject } = this
    return {
      latest: Effect.map(
        sql.read(() => new Asked(this.latest)),
        (seq = 0) => seq
      ),
      scan: (after, limit) => sql.read(() => this.scan(after, limit)),
      ...(aboutOf === undefined ? {} : { scanOutlines: this.outlines(sql, aboutOf) }),
      ...(selectSubject === undefined
        ? {}
        : {
            ofSubject: (...place) => {
              const { text, values } = selectSubject(...place)
              return sql.read(() => new Asked(all(text, this.decode), values))
            }
          }),
      find: (seqs) => {
        const { condition, values } = oneOf(
          ["seq"],
          seqs.map((seq) => [seq])
        )
        return sql.read(() => new Asked(all(`${selectEvents} WHERE ${condition} ORDER BY seq`, this.decode), values))
      }
    }
  }

  private outlines(sql: Sql, aboutOf: NonNullable<EventFormat["aboutOf"]>): NonNullable<EventRows["scanOutlines"]> {
    const outlines = all(selectOutlines, (row: Pick<EventRow, "seq" | "type" | "data">) => ({
      seq: row.seq,
      about: aboutOf(row)
    }))
    return (after, limit) => sql.read(() => new Asked(outlines, [after, limit]))
  }
}
