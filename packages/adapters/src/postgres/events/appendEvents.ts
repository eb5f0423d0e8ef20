import { type EventToAppend, traceparent } from "@petstore/core/ports"
import type { Parameter, PostgresConnection } from "../connection/PostgresConnection.ts"
import { binaryArray } from "../statements/binaryArray.ts"
import { inSchema } from "../statements/dialect.ts"

/** An event as it is stored, before it has a number. */
export type UnnumberedEvent = Omit<EventToAppend, "data" | typeof traceparent> & {
  readonly data: string
  readonly trace: string | null
}

/** An event as it is now: its data may be changed by who made it. */
export const unnumbered = ({
  data,
  id,
  subject,
  timestamp,
  type,
  [traceparent]: trace
}: EventToAppend): UnnumberedEvent => ({
  id,
  type,
  subject,
  timestamp,
  data: JSON.stringify(data),
  trace: trace ?? null
})

/**
 * Adds the events of a transaction at its end. Returns whether they have their numbers; if not, they are pending, and get
 * them after the commit.
 */
export type AppendEvents = (
  connection: Pick<PostgresConnection, "query">,
  events: ReadonlyArray<UnnumberedEvent>
) => Promise<boolean>

// The order in which committed events are numbered: of one transaction together, by the ticket of its last. A change that
// follows another one takes its tickets later, since it waited for the locks of the other.
const pendingInOrder =
  "SELECT *, row_number() OVER (ORDER BY latest, ticket) AS n FROM (SELECT *, max(ticket) OVER (PARTITION BY xid) AS latest FROM p) AS x"

/** The most pending events that a transaction numbers before its own. */
const mostInPassing = 1000

// If nobody holds the end of the log, numbers what is pending and these events behind it; otherwise, or if much is pending, leaves
// them pending. It never waits: a transaction that holds the end may be about to wait for a disk, or for a standby.
const append = `WITH
  log_end AS MATERIALIZED (SELECT last FROM petstore_log_end
    WHERE NOT EXISTS (SELECT 1 FROM petstore_pending OFFSET ${mostInPassing}) FOR UPDATE SKIP LOCKED),
  own AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    WITH ORDINALITY AS e (id, type, subject, timestamp, data, trace, n)),
  p AS (DELETE FROM petstore_pending WHERE EXISTS (SELECT 1 FROM log_end) RETURNING *),
  pending AS MATERIALIZED (${pendingInOrder}),
  counts AS MATERIALIZED (SELECT (SELECT count(*) FROM pending) AS before, (SELECT count(*) FROM own) AS mine),
  moved AS (UPDATE petstore_log_end SET last = last + counts.before + counts.mine FROM counts
    WHERE EXISTS (SELECT 1 FROM log_end) RETURNING last - counts.before - counts.mine AS start),
  numbered AS (INSERT INTO petstore_events (seq, id, type, subject, timestamp, data, trace)
    SELECT moved.start + pending.n, pending.id, pending.type, pending.subject, pending.timestamp, pending.data, pending.trace FROM moved, pending
    UNION ALL SELECT moved.start + counts.before + own.n, own.id, own.type, own.subject, own.timestamp, own.data, own.trace FROM moved, counts, own),
  left_over AS (INSERT INTO petstore_pending (id, type, subject, timestamp, data, trace)
    SELECT id, type, subject, timestamp, data, trace FROM own WHERE NOT EXISTS (SELECT 1 FROM log_end) ORDER BY n)
SELECT EXISTS (SELECT 1 FROM moved) AS numbered`

/** Waits for the end of the log. The next statement sees everything that was committed before. */
export const lockLogEnd = (schema: string): string => inSchema(schema, "SELECT 1 FROM petstore_log_end FOR UPDATE")

/** Maximum number of events that {@link numberPending} numbers in a call. */
export const batchSize = 5000

// Those with the first tickets: who follows another transaction has later tickets than all of its events.
const number = `WITH p AS (DELETE FROM petstore_pending WHERE ticket <=
    (SELECT max(ticket) FROM (SELECT ticket FROM petstore_pending ORDER BY ticket LIMIT ${batchSize}) AS first) RETURNING *),
  pending AS MATERIALIZED (${pendingInOrder}),
  moved AS (UPDATE petstore_log_end SET last = last + (SELECT count(*) FROM pending)
    WHERE EXISTS (SELECT 1 FROM pending) RETURNING last - (SELECT count(*) FROM pending) AS start)
INSERT INTO petstore_events (seq, id, type, subject, timestamp, data, trace)
  SELECT moved.start + pending.n, pending.id, pending.type, pending.subject, pending.timestamp, pending.data, pending.trace FROM moved, pending`

/** Numbers events that are committed and pending, up to {@link batchSize}, in a transaction that has the end of the log. */
export const numberPending = (schema: string): string => inSchema(schema, number)

/** The columns of an event, as placeholders or arrays give them. */
const columns = "id, type, subject, timestamp, data, trace"

// The same at half the cost, or less: numbers these events only if nothing is pending, and leaves them pending otherwise. `holds`: a
// condition without which nothing is added.
const behindNothing = (own: string, count: string, holds: string): string => `log_end AS MATERIALIZED (
    SELECT last FROM petstore_log_end WHERE ${holds} AND NOT EXISTS (SELECT 1 FROM petstore_pending) FOR UPDATE SKIP LOCKED),
  moved AS (UPDATE petstore_log_end SET last = log_end.last + ${count} FROM log_end),
  numbered AS (INSERT INTO petstore_events (seq, ${columns}) SELECT log_end.last + n, ${columns} FROM log_end, ${own}),
  left_over AS (INSERT INTO petstore_pending (${columns})
    SELECT ${columns} FROM ${own} WHERE ${holds} AND NOT EXISTS (SELECT 1 FROM log_end) ORDER BY n)`

const isNumbered = "EXISTS (SELECT 1 FROM log_end) AS numbered"

/** The parts of a statement that add this number of events, whose values begin behind `offset` others; and what tells whether they have numbers. */
export const appendParts = (count: number, offset = 0, holds = "TRUE") => {
  const places = Array.from({ length: count }, (_, event) =>
    [...Array.from({ length: 6 }, (_, column) => `$${offset + event * 6 + column + 1}::text`), event + 1].join(", ")
  )
  const own = `(VALUES (${places.join("), (")})) AS own (${columns}, n)`
  return { parts: behindNothing(own, String(count), holds), isNumbered }
}

const appendFew = (count: number): string => {
  const { parts } = appendParts(count)
  return `WITH ${parts} SELECT ${isNumbered}`
}

const appendMany = `WITH ${behindNothing(
  `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS own (${columns}, n)`,
  "cardinality($1::text[])",
  "TRUE"
)} SELECT ${isNumbered}`

/** The most events that a statement takes one by one. Most commands append one or two. */
export const fewEvents = 3

/** The values of an event for a statement. */
export const valuesOf = ({ data, id, subject, timestamp, trace, type }: UnnumberedEvent) => [
  id,
  type,
  subject,
  timestamp,
  data,
  trace
]

/** What follows when a statement has left events pending: this number of others look for pending ones and number them too. */
const attentiveStatements = 100

/**
 * The statement that adds events, numbered if nobody holds the end of the log. It returns one row with the column `numbered`.
 * Of many events, it numbers what is pending before them only if `numbersPending`; otherwise it leaves them pending as well.
 */
export const appendStatement = (
  schema: string
): ((
  events: ReadonlyArray<UnnumberedEvent>,
  numbersPending: boolean
) => {
  readonly text: string
  readonly values: ReadonlyArray<Parameter>
}) => {
  const numbering = inSchema(schema, append)
  const many = inSchema(schema, appendMany)
  const texts = Array.from({ length: fewEvents + 1 }, (_, count) => inSchema(schema, appendFew(count)))
  return (events, numbersPending) => {
    const rows = events.map(valuesOf)
    const text = texts[events.length]
    if (text !== undefined) return { text, values: rows.flat() }
    const values = [0, 1, 2, 3, 4, 5].map((column) =>
      binaryArray(
        "text",
        rows.map((row) => row[column])
      )
    )
    return { text: numbersPending ? numbering : many, values }
  }
}

export const appendEvents = (schema: string): AppendEvents => {
  const statement = appendStatement(schema)
  // Pending events are rare with one server, and frequent with several.
  let attention = 0
  return async (connection, events) => {
    const { text, values } = statement(events, attention > 0)
    const { rows } = await connection.query(text, values)
    const numbered = rows[0]?.numbered === true
    attention = numbered ? Math.max(0, attention - 1) : attentiveStatements
    return numbered
  }
}
