import { copyOfData, type OpenTransactions, SynchronousTransaction } from "@petstore/core/adapter-toolkit"
import {
  Transaction as CommandTransaction,
  type FailureOf,
  runNow,
  type Write,
  type Yielded
} from "@petstore/core/engine"
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
import type { BeginIn, OpenTransaction } from "../../sql/OpenTransaction.ts"
import { type AnyRequest, Asked, Claimed, NewIds, type Program, runProgram } from "../../sql/Program.ts"
import { first, type Statement } from "../../sql/Statement.ts"
import { tableNamed } from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import type { Connection } from "../connection/Connection.ts"
import type { LatestEvent } from "../events/EventLogHead.ts"
import type { HostDatabase } from "../host/HostDatabase.ts"
import { GroupRows } from "./GroupRows.ts"

const idsByConnection = new WeakMap<object, Map<string, number>>()

/** The last id of each table that is reserved for a row which is written later, by the store that writes with a connection. */
const reservedIds = (connection: object): Map<string, number> => {
  const known = idsByConnection.get(connection)
  if (known !== undefined) return known
  const reserved = new Map<string, number>()
  idsByConnection.set(connection, reserved)
  return reserved
}

const eventTable = "petstore_events"
const selectLatest = first(
  `SELECT seq, id FROM ${eventTable} ORDER BY seq DESC LIMIT 1`,
  ({ id, seq }: LatestEvent): LatestEvent => ({ id, seq })
)

const tableOf = (sql: string): string => /petstore_\w+/.exec(sql)?.[0] ?? ""

/** How the parts of a transaction are rolled back. */
export type PartRollback =
  /** Each alone, by a savepoint. */
  | "savepoint"
  /** With all of the transaction, which costs parts that succeed nothing. Parts of parts have savepoints. */
  | "transaction"

/** A transaction that is open on the writer, or on a connection of the host application. */
export class ConnectionTransaction extends SynchronousTransaction implements OpenTransaction {
  private readonly connection: Connection<HostDatabase>
  private readonly transactions: OpenTransactions<OpenTransaction>
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
    transactions: OpenTransactions<OpenTransaction>,
    rollback: PartRollback = "savepoint"
  ) {
    super()
    this.connection = connection
    this.transactions = transactions
    this.rollback = rollback
    this.rows = new GroupRows(({ statement, values }) => {
      const exit = this.execute(statement, values)
      if (Exit.isFailure(exit)) throw exit
      return exit.value
    }, reservedIds(connection))
  }

  run<A>(program: Program<A>): Effect.Effect<A, StorageError> {
    return runProgram(program, (request) => this.answer(request))
  }

  runPart<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E | StorageError> {
    const refusal = this.flush()
    if (refusal !== undefined) return Exit.fail(refusal)
    const { writes } = this
    const exit = this.part(() => this.transactions.runBody(this, context, body))
    if (Exit.isFailure(exit) || this.writes !== writes) this.rows.reset()
    return exit
  }

  /**
   * Runs a command on the rows of the group. What it changes is written by {@link flush} if parts are rolled back with all of the
   * transaction, else at once, and rolled back alone if that fails.
   */
  runCommand<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: BeginIn<Y, A>
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    const collected = this.collect(context, begin)
    if (this.rollback === "transaction" && !this.isInPart) return collected
    const written = Exit.isSuccess(collected) && this.rows.isChanged ? this.writeAlone() : Exit.void
    return Exit.isSuccess(written) ? collected : Exit.failCause(written.cause)
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

  private answer(request: AnyRequest): Exit.Exit<unknown, StorageError> {
    if (request instanceof Asked) return this.execute(request.statement, request.values)
    // The one writer holds every name as long as its transaction is open.
    if (request instanceof Claimed) return Exit.succeed(true)
    if (request instanceof NewIds) return this.read(() => this.rows.newIds(request.table, request.count))
    return this.change(request.writes)
  }

  private execute<A>(statement: Statement<A>, values: ReadonlyArray<Value>): Exit.Exit<A, StorageError> {
    const operation = (): A => this.connection.perform(statement, values)
    if (statement.use !== "write") return this.read(operation)
    const exit = this.write(operation)
    if (Exit.isFailure(exit)) return exit
    const table = tableOf(statement.sql)
    this.writes++
    this.tables.add(table)
    if (table === eventTable) {
      this.latest = "unknown"
      this.events = undefined
    }
    return exit
  }

  /** Makes changes at once. */
  private change(writes: ReadonlyArray<Write>): Exit.Exit<void, StorageError> {
    const exit = this.write(() => {
      this.rows.keep(writes)
      this.writeRows()
    })
    if (Exit.isFailure(exit)) this.rows.reset()
    return exit
  }

  /** Writes what a command has changed. */
  private writeAlone(): Exit.Exit<void, StorageError> {
    const exit = this.part(() => this.write(() => this.writeRows()))
    if (Exit.isFailure(exit)) this.rows.reset()
    return exit
  }

  private collect<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: BeginIn<Y, A>
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    try {
      Context.get(context, OnTransactionStart)()
      const transaction = new CommandTransaction(this.rows.source(() => this.flushForQuery()))
      const result = runNow(begin(transaction, context))
      if (Result.isFailure(result)) return Exit.fail(result.failure)
      this.rows.requireFree(transaction.writes)
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
    if (this.rows.isChanged) this.writes++
    const { events, latest, tables } = this.rows.write({
      perform: ({ statement, values }) => this.connection.perform(statement, values),
      insert: (sql, values) => this.connection.insert(sql, values)
    })
    for (const table of tables) this.tables.add(table)
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
