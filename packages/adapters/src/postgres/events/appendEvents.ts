import type { EventToAppend } from "@petstore/core/ports"
import type { Parameter, PostgresConnection } from "../connection/PostgresConnection.ts"
import { binaryArray } from "../statements/binaryArray.ts"
import { inSchema } from "../statements/dialect.ts"

/** An event as it is stored, before it has a number. */
export type UnnumberedEvent = Omit<EventToAppend, "data"> & { readonly data: string }

/** An event as it is now: its data may be changed by who made it. */
export const unnumbered = ({ data, id, subject, timestamp, type }: EventToAppend): UnnumberedEvent => ({
  id,
  type,
  subject,
  timestamp,
  data: JSON.stringify(data)
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

// If nobody holds the end of the log, numbers what is pending and these events behind it; otherwise leaves them pending. It
// never waits: a transaction that holds the end may be about to wait for a disk, or for a standby.
const append = `WITH
  log_end AS MATERIALIZED (SELECT last FROM petstore_log_end FOR UPDATE SKIP LOCKED),
  own AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
    WITH ORDINALITY AS e (id, type, subject, timestamp, data, n)),
  p AS (DELETE FROM petstore_pending WHERE EXISTS (SELECT 1 FROM log_end) RETURNING *),
  pending AS MATERIALIZED (${pendingInOrder}),
  counts AS MATERIALIZED (SELECT (SELECT count(*) FROM pending) AS before, (SELECT count(*) FROM own) AS mine),
  moved AS (UPDATE petstore_log_end SET last = last + counts.before + counts.mine FROM counts
    WHERE EXISTS (SELECT 1 FROM log_end) RETURNING last - counts.before - counts.mine AS start),
  numbered AS (INSERT INTO petstore_events (seq, id, type, subject, timestamp, data)
    SELECT moved.start + pending.n, pending.id, pending.type, pending.subject, pending.timestamp, pending.data FROM moved, pending
    UNION ALL SELECT moved.start + counts.before + own.n, own.id, own.type, own.subject, own.timestamp, own.data FROM moved, counts, own),
  left_over AS (INSERT INTO petstore_pending (id, type, subject, timestamp, data)
    SELECT id, type, subject, timestamp, data FROM own WHERE NOT EXISTS (SELECT 1 FROM log_end) ORDER BY n)
SELECT EXISTS (SELECT 1 FROM moved) AS numbered`

// The second statement sees everything that was committed before the first one had the lock.
const number = `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT 1 FROM petstore_log_end FOR UPDATE;
WITH p AS (DELETE FROM petstore_pending RETURNING *),
  pending AS MATERIALIZED (${pendingInOrder}),
  moved AS (UPDATE petstore_log_end SET last = last + (SELECT count(*) FROM pending)
    WHERE EXISTS (SELECT 1 FROM pending) RETURNING last - (SELECT count(*) FROM pending) AS start)
INSERT INTO petstore_events (seq, id, type, subject, timestamp, data)
  SELECT moved.start + pending.n, pending.id, pending.type, pending.subject, pending.timestamp, pending.data FROM moved, pending;
COMMIT`

/** Numbers everything that is committed and pending, as a statement that is a transaction of its own. */
export const numberPending = (schema: string): string => inSchema(schema, number)

// The same for a few events, at half the cost: numbers them only if nothing is pending.
const appendFew = (count: number): string => {
  const places = Array.from({ length: count }, (_, event) =>
    [event + 1, ...Array.from({ length: 5 }, (_, column) => `$${event * 5 + column + 1}::text`)].join(", ")
  )
  return `WITH
    log_end AS MATERIALIZED (SELECT last FROM petstore_log_end WHERE NOT EXISTS (SELECT 1 FROM petstore_pending)
      FOR UPDATE SKIP LOCKED),
    own (n, id, type, subject, timestamp, data) AS MATERIALIZED (VALUES (${places.join("), (")})),
    moved AS (UPDATE petstore_log_end SET last = log_end.last + ${count} FROM log_end),
    numbered AS (INSERT INTO petstore_events (seq, id, type, subject, timestamp, data)
      SELECT log_end.last + own.n, own.id, own.type, own.subject, own.timestamp, own.data FROM log_end, own),
    left_over AS (INSERT INTO petstore_pending (id, type, subject, timestamp, data)
      SELECT id, type, subject, timestamp, data FROM own WHERE NOT EXISTS (SELECT 1 FROM log_end) ORDER BY n)
  SELECT EXISTS (SELECT 1 FROM log_end) AS numbered`
}

/** The most events that a statement takes one by one. Most commands append one or two. */
const few = 3

const valuesOf = ({ data, id, subject, timestamp, type }: UnnumberedEvent) => [id, type, subject, timestamp, data]

/**
 * The statement that adds events, numbered if nobody holds the end of the log. Returns one row with the column `numbered`.
 */
export const appendStatement = (
  schema: string
): ((events: ReadonlyArray<UnnumberedEvent>) => {
  readonly text: string
  readonly values: ReadonlyArray<Parameter>
}) => {
  const many = inSchema(schema, append)
  const texts = Array.from({ length: few + 1 }, (_, count) => inSchema(schema, appendFew(count)))
  return (events) => {
    const rows = events.map(valuesOf)
    const text = texts[events.length]
    if (text !== undefined) return { text, values: rows.flat() }
    const columns = [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]))
    return { text: many, values: columns.map((column) => binaryArray("text", column)) }
  }
}

export const appendEvents = (schema: string): AppendEvents => {
  const statement = appendStatement(schema)
  return async (connection, events) => {
    const { text, values } = statement(events)
    const { rows } = await connection.query(text, values)
    return rows[0]?.numbered === true
  }
}
