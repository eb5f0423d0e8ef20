import { StorageBusy } from "@petstore/core/domain"
import type { EventRecord, EventRows, StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Asked } from "../../sql/Program.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { orStorageError } from "../connection/errors.ts"
import { inSchema } from "../statements/dialect.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import { batchSize, lockLogEnd, numberPending } from "./appendEvents.ts"
import type { LogEnd, LogEnds } from "./LogEnds.ts"
import { bounded, type EventRow, ofSubject, openEvents, pendingEvents, toEvent } from "./openEvents.ts"

// The timers stay real where a test replaces the global ones: host applications commit in real time.
const { clearTimeout, setTimeout } = globalThis

/** Milliseconds between the looks for what is pending. A transaction of the host application may be open for long. */
const looks = [1_000, 10_000, 60_000, 600_000]

/** After how many batches the server removes what they have left. */
const batchesPerVacuum = 10

interface NumberedRow extends Omit<EventRow, "seq"> {
  readonly seq: number | null
}

interface Page {
  readonly events: ReadonlyArray<EventRecord>
  readonly pending: boolean
}

const backlog = "More events are committed than have their numbers yet, which they get in batches"

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
 * The event log. Transactions leave events that they cannot number without waiting in `petstore_pending`; the next
 * caller who commits, or reads the end of the log, numbers them, and so does a timer after calls in transactions of the host
 * application. They are numbered in batches, each a transaction, so that the end of the log is never held for long.
 */
export class EventLog {
  private readonly schema: string
  private readonly ends: LogEnds | undefined
  private readonly sql: PostgresSql
  private readonly pool: ConnectionPool
  private readonly timeout: number
  private readonly lockText: string
  private readonly numberText: string
  private readonly vacuumText: string
  private readonly onNumbered: () => void
  private readonly mayWrite: () => Promise<boolean>
  private numbering: Promise<boolean> | undefined
  private requested: Promise<boolean> | undefined
  private draining: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private look = 0
  private isClosed = false
  private readonly end
  private readonly page
  private readonly some
  private readonly someWithPending

  /**
   * `timeout`: milliseconds that a reader waits until what is committed has its numbers. `onNumbered`: called after pending events
   * got their numbers. `mayWrite`: whether this release may number them. `ends`: reads the version together with those of other stores. Default: by itself.
   */
  constructor(
    schema: string,
    sql: PostgresSql,
    pool: ConnectionPool,
    timeout: number,
    { mayWrite, onNumbered }: { readonly onNumbered: () => void; readonly mayWrite: () => Promise<boolean> },
    ends?: LogEnds
  ) {
    this.schema = schema
    this.timeout = timeout
    this.lockText = lockLogEnd(schema)
    this.ends = ends
    this.sql = sql
    this.pool = pool
    this.numberText = numberPending(schema)
    this.vacuumText = inSchema(schema, "VACUUM (TRUNCATE false) petstore_pending")
    this.onNumbered = onNumbered
    this.mayWrite = mayWrite
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
    ofSubject: (...place) =>
      Effect.withFiber(({ context }) => {
        const page = this.sql.read(() => ofSubject(...place))
        // Everything that was committed has its number first.
        return this.isFixed(context) ? page : Effect.andThen(this.rows.latest, page)
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
      orStorageError(() => ends.read(this.schema, this.pool)),
      ({ last, pending }) => (pending ? this.rows.latest : Effect.succeed(last))
    )
  })

  /** Numbers what is pending, in the background. What it cannot number now it tries later. */
  readonly kick = (): void => {
    this.draining ??= this.drain()
      .catch(() => {
        if (this.timer === undefined) this.expect()
      })
      .finally(() => {
        this.draining = undefined
      })
  }

  /** Numbers what others have left, or commit yet without a report: looks for it at some moments from now on. */
  readonly expect = (): void => {
    if (this.look > 0) {
      clearTimeout(this.timer)
      this.timer = undefined
      this.look = 0
    }
    this.schedule()
  }

  /** Completes when nothing is being numbered. */
  readonly close: Effect.Effect<void> = Effect.promise(async () => {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.draining
    await this.numbering?.catch(() => {})
    await this.requested?.catch(() => {})
  })

  private schedule(): void {
    const delay = looks[this.look]
    if (this.isClosed || this.timer !== undefined || delay === undefined) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.look++
      this.schedule()
      this.lookForPending().catch(() => {})
    }, delay)
    this.timer.unref()
  }

  private async lookForPending(): Promise<void> {
    if (this.end.decode(await this.pool.read(this.end.text, [])).pending) this.kick()
  }

  private async drain(): Promise<void> {
    for (let batches = 1; !this.isClosed && !(await this.number()); batches++) {
      // Who looks for pending events reads the dead ones too. A role that may not do this gets a warning.
      if (batches % batchesPerVacuum === 0) await this.pool.use((connection) => connection.run(this.vacuumText))
    }
  }

  /** Whether a fiber reads in a snapshot, which does not wait for what others number. */
  private isFixed(context: Context.Context<never>): boolean {
    return this.sql.snapshots.find(context) !== undefined
  }

  /** Reads, and if something is pending, reads again after everything that was committed has its number, or there is enough. */
  private settled<A>(
    read: Effect.Effect<A, StorageError>,
    isEnough: (result: A) => boolean
  ): Effect.Effect<A, StorageError> {
    const { kick, timeout } = this
    const number = orStorageError(() => this.number())
    return Effect.gen(function* () {
      const until = performance.now() + timeout
      let result = yield* read
      for (let isDone = false; !isDone && !isEnough(result); ) {
        // A batch is waited for behind another one, which may take as long.
        isDone = yield* Effect.timeoutOrElse(number, {
          duration: Math.max(0, until - performance.now()),
          orElse: () => new StorageBusy({}, { cause: new Error(backlog) })
        })
        if (!isDone) kick()
        result = yield* read
      }
      return result
    })
  }

  /**
   * Numbers a batch of what is committed now. Returns whether that was all. Calls while one is numbered share the next one.
   */
  private number(): Promise<boolean> {
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

  private async numberOnce(): Promise<boolean> {
    // A newer release numbers what it has migrated.
    if (!(await this.mayWrite())) return true
    const count = await this.pool.use(async (connection) => {
      connection.expire(performance.now() + this.timeout)
      try {
        const steps = [
          connection.run(`${this.pool.begin}; ${this.lockText}`),
          connection.query(this.numberText),
          connection.run("COMMIT")
        ] as const
        await Promise.all(steps)
        return (await steps[1]).count
      } catch (cause) {
        await connection.run("ROLLBACK").catch(() => connection.break())
        throw cause
      }
    })
    this.onNumbered()
    return count < batchSize
  }
}
