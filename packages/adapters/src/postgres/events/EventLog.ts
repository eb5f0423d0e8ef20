import type { EventRecord, EventRows, StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Asked } from "../../sql/Program.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { attempt } from "../connection/errors.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import { numberPending } from "./appendEvents.ts"
import type { LogEnd, LogEnds } from "./LogEnds.ts"
import { bounded, type EventRow, openEvents, pendingEvents, toEvent } from "./openEvents.ts"

interface NumberedRow extends Omit<EventRow, "seq"> {
  readonly seq: number | null
}

interface Page {
  readonly events: ReadonlyArray<EventRecord>
  readonly pending: boolean
}

const selectEnd = "SELECT last, EXISTS (SELECT 1 FROM petstore_pending) AS pending FROM petstore_log_end"

// One statement, so that the page and whether something is pending are of the same moment. Of a full page the latter does not
// matter, and is not looked up: while an old snapshot is open, that reads every row version that has been pending since.
const selectPage = `WITH page AS MATERIALIZED
    (SELECT seq, id, type, subject, timestamp, data, trace FROM petstore_events WHERE seq > ? ORDER BY seq LIMIT ?)
  SELECT log_end.pending, page.* FROM (SELECT CASE WHEN (SELECT count(*) FROM page) < ?
      THEN EXISTS (SELECT 1 FROM petstore_pending) ELSE false END AS pending) AS log_end
    LEFT JOIN page ON true ORDER BY page.seq`

const selectSome = `SELECT seq, id, type, subject, timestamp, data, trace FROM petstore_events
  WHERE seq = ANY(?::bigint[]) ORDER BY seq`
const selectSomeWithPending = `SELECT * FROM (
    (${selectSome}) UNION ALL SELECT * FROM ${pendingEvents} WHERE seq = ANY(?::bigint[])
  ) AS events ORDER BY seq`

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
  private readonly page
  private readonly some
  private readonly someWithPending

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
    const events = (rows: ReadonlyArray<unknown>) =>
      (rows as ReadonlyArray<NumberedRow>).flatMap(({ seq, ...row }) =>
        seq === null ? [] : [toEvent({ ...row, seq })]
      )
    this.page = sql.statement(
      selectPage,
      "read",
      ({ rows }): Page => ({
        events: events(rows),
        pending: rows[0]?.pending === true
      })
    )
    this.some = sql.statement(selectSome, "read", ({ rows }) => events(rows))
    this.someWithPending = sql.statement(selectSomeWithPending, "read", ({ rows }) => events(rows))
  }

  readonly rows: EventRows = {
    latest: Effect.withFiber(({ context }) => {
      if (this.isFixed(context))
        return Effect.map(
          this.sql.read(() => new Asked(openEvents.latest)),
          (last = 0) => last
        )
      return Effect.map(
        this.settled(this.sql.runner(context).execute(this.end, []), ({ pending }) => !pending),
        ({ last }) => last
      )
    }),
    scan: (after, limit) =>
      Effect.withFiber(({ context }) => {
        if (this.isFixed(context)) return this.sql.read(() => openEvents.scan(after, limit))
        const values = [bounded(after), limit, limit]
        return Effect.map(
          this.settled(this.sql.runner(context).execute(this.page, values), ({ pending }) => !pending),
          ({ events }) => events
        )
      }),
    find: (seqs) =>
      Effect.withFiber(({ context }) => {
        const runner = this.sql.runner(context)
        return this.isFixed(context)
          ? runner.execute(this.someWithPending, [seqs, seqs])
          : runner.execute(this.some, [seqs])
      })
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
    return this.sql.transactions.find(context) !== undefined || this.sql.snapshots.find(context) !== undefined
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
