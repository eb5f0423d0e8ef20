import { copyOfData, type OpenTransactions, SynchronousTransaction } from "@petstore/core/adapter-toolkit"
import { Transaction as CommandTransaction, type FailureOf, runNow, type Yielded } from "@petstore/core/engine"
import {
  type EventRecord,
  type EventToAppend,
  OnTransactionStart,
  type StorageError,
  type Transaction
} from "@petstore/core/ports"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import { tableNamed } from "../../sql/tableText.ts"
import type { Connection } from "../connection/Connection.ts"
import type { LatestEvent } from "../events/EventLogHead.ts"
import type { HostDatabase } from "../host/HostDatabase.ts"
import { first, type SqliteTransaction, type Statement } from "../statements/Statement.ts"
import { GroupRows } from "./GroupRows.ts"
import { reservedIds } from "./reservedIds.ts"

const eventTable = "petstore_events"
const selectLatest = first(
  `SELECT seq, id FROM ${eventTable} ORDER BY seq DESC LIMIT 1`,
  ({ id, seq }: LatestEvent): LatestEvent => ({ id, seq }),
  "read"
)

/** How the parts of a transaction are rolled back. */
export type PartRollback =
  /** Each alone, by a savepoint. */
  | "savepoint"
  /** With all of the transaction, which costs parts that succeed nothing. Parts of parts have savepoints. */
  | "transaction"

/** A transaction that is open on the writer, or on a connection of the host application. */
export class ConnectionTransaction extends SynchronousTransaction implements SqliteTransaction {
  private readonly connection: Connection<HostDatabase>
  private readonly transactions: OpenTransactions<SqliteTransaction>
  private readonly rollback: PartRollback
  private isInPart = false
  /** Writes that were not rolled back. */
  private writes = 0
  /** The tables that parts have written to, those that were rolled back included. */
  readonly tables = new Set<string>()
  /** Whether a part has failed after it wrote, so that the transaction was rolled back. */
  rolledBack = false
  /** The events that were added and not rolled back; undefined if some are not known. */
  private events: Array<EventToAppend> | undefined = []
  /** The latest event, if events were added; "unknown" if it must be read. */
  private latest: LatestEvent | "unknown" | undefined
  private readonly rows: GroupRows

  constructor(
    connection: Connection<HostDatabase>,
    transactions: OpenTransactions<SqliteTransaction>,
    rollback: PartRollback = "savepoint"
  ) {
    super()
    this.connection = connection
    this.transactions = transactions
    this.rollback = rollback
    this.rows = new GroupRows((statement, values) => {
      const exit = this.execute(statement, values)
      if (Exit.isFailure(exit)) throw exit
      return exit.value
    }, reservedIds(connection))
  }

  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E | StorageError> {
    const refusal = this.flush()
    if (refusal !== undefined) return Exit.fail(refusal)
    const { writes } = this
    const exit = this.part(() => this.transactions.runBody(this, context, body))
    if (this.writes !== writes) this.rows.reset()
    return exit
  }

  /** Runs a command on the rows of the group. What it changes is written at once if parts are rolled back alone, else by {@link flush}. */
  runCommand<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: (transaction: CommandTransaction, context: Context.Context<never>) => Generator<Y, A, unknown>
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    if (this.rollback === "transaction") return this.collect(context, begin)
    const exit = this.part((): Exit.Exit<A, FailureOf<Y> | StorageError> => {
      const collected = this.collect(context, begin)
      if (Exit.isFailure(collected)) return collected
      return this.write(() => {
        this.writeRows()
        return collected.value
      })
    })
    if (Exit.isFailure(exit)) this.rows.reset()
    return exit
  }

  /** Ids for rows that are written later. */
  reserve({ name }: { readonly name: string }, count: number): Exit.Exit<ReadonlyArray<number>, StorageError> {
    return this.read(() => this.rows.reserve(tableNamed(name), count))
  }

  /** Writes what commands have changed. If that fails, the transaction is rolled back, and the reason is returned. */
  flush(): StorageError | undefined {
    if (!this.rows.isChanged || this.lost !== undefined) return undefined
    let refusal: StorageError | undefined
    this.write(() => {
      try {
        this.writeRows()
      } catch (thrown) {
        refusal = this.errorOf(thrown)
        throw thrown
      }
    })
    if (refusal !== undefined && this.lost === undefined) {
      this.connection.run("ROLLBACK")
      this.rolledBack = true
    }
    return refusal
  }

  runIncluded<A, E, R>(
    _context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    // The fiber has the services and this transaction, which the compiler cannot see. To provide them again copies them all.
    return this.include(body as Effect.Effect<A, E>)
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<SqlValue>): Exit.Exit<A, StorageError> {
    const operation = (): A => this.connection.perform(statement, values)
    const { writes } = statement
    if (writes === undefined) return this.read(operation)
    const exit = this.write(operation)
    if (Exit.isSuccess(exit) && writes.done(exit.value)) {
      this.writes++
      this.tables.add(writes.table)
      if (writes.table === eventTable) {
        this.latest = "unknown"
        this.events = undefined
      }
    }
    return exit
  }

  /**
   * The latest event of the log; undefined if none was added. It must be called before the commit: until then nobody else can add
   * any.
   */
  latestEvent(): LatestEvent | undefined {
    if (this.rolledBack) return undefined
    if (this.latest !== "unknown") return this.latest
    try {
      return this.connection.perform(selectLatest, [])
    } catch {
      return undefined
    }
  }

  /**
   * The events that were added up to the latest one, as they are in the log; undefined if they must be read there. `areWanted`: whether
   * somebody takes them.
   */
  addedEvents(latest: LatestEvent | undefined, areWanted: boolean): ReadonlyArray<EventRecord> | undefined {
    const { events } = this
    if (this.rolledBack || events === undefined) return undefined
    if (events.length === 0) return []
    if (latest === undefined || !areWanted) return undefined
    const before = latest.seq - events.length
    return events.map(
      ({ data, id, subject, timestamp, type }, index) =>
        // Its properties one by one lose the type that ties the data to the type of event.
        ({ seq: before + 1 + index, id, type, subject, timestamp, data: copyOfData(data) }) as EventRecord
    )
  }

  private collect<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: (transaction: CommandTransaction, context: Context.Context<never>) => Generator<Y, A, unknown>
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    try {
      Context.get(context, OnTransactionStart)()
      const transaction = new CommandTransaction(this.rows.source(() => this.flushForQuery()))
      const result = runNow(begin(transaction, context))
      if (Result.isFailure(result)) return Exit.fail(result.failure)
      this.rows.keep(transaction.writes)
      return Exit.succeed(result.success)
    } catch (thrown) {
      return Exit.isExit(thrown) ? (thrown as Exit.Exit<never, StorageError>) : Exit.die(thrown)
    }
  }

  private flushForQuery(): void {
    const refusal = this.flush()
    if (refusal !== undefined) throw Exit.fail(refusal)
  }

  private writeRows(): void {
    const { events, latest } = this.rows.write((statement, values) => {
      const result = this.connection.perform(statement, values)
      this.writes++
      if (statement.writes !== undefined) this.tables.add(statement.writes.table)
      return result
    })
    if (latest === undefined) return
    this.latest = latest
    this.events?.push(...events)
  }

  protected nested(body: () => boolean): void {
    const writesBefore = this.writes
    if (this.rollback === "transaction" && !this.isInPart) {
      this.isInPart = true
      const isKept = body()
      this.isInPart = false
      if (isKept || this.lost !== undefined || this.writes === writesBefore) return
      this.connection.run("ROLLBACK")
      this.rolledBack = true
      return
    }
    const eventsBefore = this.events?.length
    this.connection.run("SAVEPOINT petstore_part")
    const isKept = body()
    if (this.lost !== undefined) return
    if (!isKept) {
      this.connection.run("ROLLBACK TO petstore_part")
      this.writes = writesBefore
      this.events?.splice(eventsBefore ?? 0)
      if (this.latest !== undefined) this.latest = "unknown"
    }
    this.connection.run("RELEASE petstore_part")
  }

  protected errorOf(thrown: unknown): StorageError {
    return this.connection.explain(thrown)
  }

  /** Some errors (disk full, I/O) end the transaction, others only the statement. Only this shows which. */
  protected override get survives(): boolean {
    return this.connection.inTransaction
  }
}
