import type { EventRecord, StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { deleteUpTo, withTrace } from "../../sql/EventRows.ts"
import type { EventLogRows } from "../../sql/rows.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { attempt } from "../connection/errors.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import { numberPending } from "./appendEvents.ts"
import type { LogEnd, LogEnds } from "./LogEnds.ts"

interface EventRow {
  readonly seq: number | null
  readonly id: string
  readonly type: EventRecord["type"]
  readonly subject: string
  readonly timestamp: string
  readonly data: string
  readonly trace: string | null
  readonly pending: boolean
}

interface Page {
  readonly events: ReadonlyArray<EventRecord>
  readonly pending: boolean
}

const selectEnd = "SELECT last, EXISTS (SELECT 1 FROM petstore_pending) AS pending FROM petstore_log_end"
const selectEndWithPending = "SELECT last + (SELECT count(*) FROM petstore_pending) AS last FROM petstore_log_end"

// One statement, so that the page and whether something is pending are of the same moment. Of a full page the latter does not
// matter, and is not looked up: while an old snapshot is open, that reads every row version that has been pending since.
const selectPage = `WITH page AS MATERIALIZED
    (SELECT seq, id, type, subject, timestamp, data, trace FROM petstore_events WHERE seq > ? ORDER BY seq LIMIT ?)
  SELECT log_end.pending, page.* FROM (SELECT CASE WHEN (SELECT count(*) FROM page) < ?
      THEN EXISTS (SELECT 1 FROM petstore_pending) ELSE false END AS pending) AS log_end
    LEFT JOIN page ON true ORDER BY page.seq`

// In a snapshot nothing can be numbered: what is pending follows in the order that it would get.
const pendingEvents = `(SELECT row_number() OVER (ORDER BY latest, ticket) + (SELECT last FROM petstore_log_end) AS seq,
      id, type, subject, timestamp, data, trace
      FROM (SELECT *, max(ticket) OVER (PARTITION BY xid) AS latest FROM petstore_pending) AS p) AS pending`
const selectWithPending = `SELECT * FROM (
    (SELECT seq, id, type, subject, timestamp, data, trace FROM petstore_events WHERE seq > ? ORDER BY seq LIMIT ?)
    UNION ALL SELECT * FROM ${pendingEvents} WHERE seq > ?
  ) AS events ORDER BY seq LIMIT ?`

const selectSome = `SELECT seq, id, type, subject, timestamp, data, trace FROM petstore_events
  WHERE seq = ANY(?::bigint[]) ORDER BY seq`
const selectSomeWithPending = `SELECT * FROM (
    (${selectSome}) UNION ALL SELECT * FROM ${pendingEvents} WHERE seq = ANY(?::bigint[])
  ) AS events ORDER BY seq`

// Type and data belong together because they were written together.
const toEvent = ({ data, id, seq, subject, timestamp, trace, type }: EventRow) =>
  withTrace({ id, type, timestamp, seq, subject, data: JSON.parse(data) } as EventRecord, trace)

/**
 * The event log. Transactions leave events that they cannot number without waiting in `petstore_pending`; whoever commits,
 * or reads the end of the log, numbers them.
 */
export class EventLog {
  private readonly schema: string
  private readonly ends: LogEnds | undefined
  private readonly sql: PostgresSql
  private readonly pool: ConnectionPool
  private readonly numberText: string
  private readonly onNumbered: () => void
  private numbering: Promise<void> | undefined
  private requested: Promise<void> | undefined
  private readonly end
  private readonly wholeEnd
  private readonly page
  private readonly wholePage
  private readonly some
  private readonly someWithPending
  private readonly remove

  /**
   * `onNumbered`: called after pending events got their numbers. `ends`: reads the version together with those of other stores;
   * alone if absent.
   */
  constructor(schema: string, sql: PostgresSql, pool: ConnectionPool, onNumbered: () => void, ends?: LogEnds) {
    this.schema = schema
    this.ends = ends
    this.sql = sql
    this.pool = pool
    this.numberText = numberPending(schema)
    this.onNumbered = onNumbered
    this.end = sql.statement(
      selectEnd,
      "read",
      ({ rows: [row] }): LogEnd => ({
        last: Number(row?.last),
        pending: row?.pending === true
      })
    )
    this.wholeEnd = sql.statement(selectEndWithPending, "read", ({ rows: [row] }) => Number(row?.last))
    const events = (rows: ReadonlyArray<unknown>) =>
      (rows as ReadonlyArray<EventRow>).flatMap((row) => (row.seq === null ? [] : [toEvent(row)]))
    this.page = sql.statement(
      selectPage,
      "read",
      ({ rows }): Page => ({
        events: events(rows),
        pending: rows[0]?.pending === true
      })
    )
    this.remove = sql.runOwn(deleteUpTo)
    this.some = sql.statement(selectSome, "read", ({ rows }) => events(rows))
    this.someWithPending = sql.statement(selectSomeWithPending, "read", ({ rows }) => events(rows))
    this.wholePage = sql.statement(selectWithPending, "read", ({ rows }) => events(rows))
  }

  readonly rows: EventLogRows = {
    append: (events) =>
      Effect.withFiber(({ context }) => {
        const transaction = this.sql.transactions.require(context)
        return Effect.forEach(events, (event) => transaction.append(event), { discard: true })
      }),
    latest: Effect.withFiber(({ context }) => {
      const runner = this.sql.runner(context)
      if (this.isFixed(context)) return runner.execute(this.wholeEnd, [])
      return Effect.map(
        this.settled(runner.execute(this.end, []), ({ pending }) => !pending),
        ({ last }) => last
      )
    }),
    scan: (after, limit) =>
      Effect.withFiber(({ context }) => {
        const runner = this.sql.runner(context)
        const position = bounded(after)
        if (this.isFixed(context)) return runner.execute(this.wholePage, [position, limit, position, limit])
        return Effect.map(
          this.settled(runner.execute(this.page, [position, limit, limit]), ({ pending }) => !pending),
          ({ events }) => events
        )
      }),
    find: (seqs) =>
      Effect.withFiber(({ context }) => {
        const runner = this.sql.runner(context)
        return this.isFixed(context)
          ? runner.execute(this.someWithPending, [seqs, seqs])
          : runner.execute(this.some, [seqs])
      }),
    trim: (through) => this.remove(bounded(through))
  }

  /** Reads the number of the last event, and gives pending ones theirs: an own read of a store, outside of transactions. */
  readonly version: Effect.Effect<number, StorageError> = Effect.suspend(() => {
    const { ends } = this
    if (ends === undefined) return this.rows.latest
    return Effect.flatMap(
      attempt(() => ends.read(this.schema, this.pool)),
      ({ last, pending }) => (pending ? this.rows.latest : Effect.succeed(last))
    )
  })

  /** Numbers what is pending, in the background. */
  readonly kick = (): void => {
    this.number().catch(() => {})
  }

  /** Completes when nothing is being numbered. */
  readonly close: Effect.Effect<void> = Effect.promise(async () => {
    await this.numbering?.catch(() => {})
    await this.requested?.catch(() => {})
  })

  /** Whether a fiber reads in a transaction or a snapshot, which do not wait for what others number. */
  private isFixed(context: Context.Context<never>): boolean {
    return this.sql.transactions.find(context) !== undefined || this.sql.snapshot(context) !== undefined
  }

  /** Reads, and if something is pending, reads again after everything that was committed has its number. */
  private settled<A>(
    read: Effect.Effect<A, StorageError>,
    isEnough: (result: A) => boolean
  ): Effect.Effect<A, StorageError> {
    return Effect.flatMap(read, (result) =>
      isEnough(result)
        ? Effect.succeed(result)
        : Effect.andThen(
            attempt(() => this.number()),
            read
          )
    )
  }

  /** Numbers everything that is committed now. Calls during a run share the next one. */
  private number(): Promise<void> {
    if (this.numbering === undefined) {
      this.numbering = this.numberOnce().finally(() => {
        this.numbering = undefined
      })
      return this.numbering
    }
    this.requested ??= this.numbering
      .catch(() => {})
      .then(() => {
        this.requested = undefined
        return this.number()
      })
    return this.requested
  }

  private async numberOnce(): Promise<void> {
    await this.pool.use(async (connection) => {
      try {
        await connection.run(this.numberText)
      } catch (cause) {
        await connection.run("ROLLBACK").catch(() => connection.break())
        throw cause
      }
    })
    this.onNumbered()
  }
}

const bounded = (after: number): number => Math.min(Math.max(Math.floor(after), 0), Number.MAX_SAFE_INTEGER)
