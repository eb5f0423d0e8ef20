import type { OpenTransactions } from "@petstore/core/adapter-toolkit"
import { OnTransactionStart, type StorageError, type Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import type { Mutex, MutexHolder } from "../../sql/Mutex.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { Connection } from "../connection/Connection.ts"
import type { Row } from "../statements/PreparedStatement.ts"
import type { RowChange } from "../statements/RowChange.ts"
import type { SqliteTransaction } from "../statements/Statement.ts"
import { BridgedTransaction, type DivisibleWrites } from "./BridgedTransaction.ts"
import { CallCompletion } from "./CallCompletion.ts"
import { CallMarker, type CallMarkerSettings, reading, writing } from "./CallMarker.ts"
import { hostError, unresponsiveError } from "./hostErrors.ts"
import type { LibraryConnection } from "./LibraryConnection.ts"
import { WriteSet } from "./WriteSet.ts"
import type { LibraryError } from "./waitForResult.ts"

export interface BridgedCallSettings extends CallMarkerSettings {
  /** A connection of the engine, on which the tables exist. */
  readonly own: Connection
  readonly transactions: OpenTransactions<SqliteTransaction>
  /** Milliseconds to wait for other calls. */
  readonly lockTimeout: number
  /** Held by one call in this transaction at a time. */
  readonly transactionMutex: Mutex
  /** Held by one call that writes to the file at a time. */
  readonly writerMutex: Mutex
}

/**
 * A call in a transaction that the host application has open in a library. Between any two of its statements the application
 * may end that transaction, so the call only reads, collects what it will write, and writes all of it by one statement, which
 * does nothing unless the transaction is still the one in which the call began.
 */
export class BridgedCall implements DivisibleWrites, MutexHolder {
  private readonly settings: BridgedCallSettings
  private readonly connection: LibraryConnection
  private readonly marker: CallMarker
  private readonly writes: WriteSet

  constructor(settings: BridgedCallSettings) {
    this.settings = settings
    this.connection = settings.connection
    this.marker = new CallMarker(settings)
    this.writes = new WriteSet(settings.own, (sql, values) => this.orFail(this.connection.rows({ sql, values })))
  }

  /** Runs a body as this call. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    const { transactionMutex, transactions, writerMutex } = this.settings
    // With a synchronous library all statements run in one turn of the event loop, and nothing of the application in between.
    const services = Context.add(context, Scheduler.PreventSchedulerYield, true)
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const transaction = new BridgedTransaction(this, transactions)
        const exit = yield* Effect.exit(transaction.runBody(services, restore(body)))
        return yield* new CallCompletion(this.connection, this.marker, this.writes).finish(exit)
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            writerMutex.release(this)
            transactionMutex.release(this)
          })
        )
      )
    ).pipe(Effect.provideService(Scheduler.PreventSchedulerYield, true))
  }

  read(sql: string, values: ReadonlyArray<SqlValue>): Effect.Effect<ReadonlyArray<Row>, StorageError> {
    return Effect.andThen(
      this.begin(reading),
      Effect.suspend(() => this.writes.query(sql, values))
    )
  }

  lock(sql: string, values: ReadonlyArray<SqlValue>): Effect.Effect<ReadonlyArray<Row>, StorageError> {
    return Effect.andThen(
      this.begin(writing),
      Effect.suspend(() => this.writes.query(sql, values))
    )
  }

  write(change: RowChange, values: ReadonlyArray<SqlValue>): Effect.Effect<void, StorageError> {
    if (change.chosen === undefined) return Effect.map(this.begin(writing), () => this.writes.add(change, values))
    return Effect.map(this.lock(change.chosen, values), (rows) => {
      for (const row of rows)
        this.writes.add(
          change,
          change.columns.map((column) => row[column] as SqlValue)
        )
    })
  }

  insert(change: RowChange, values: ReadonlyArray<SqlValue>): Effect.Effect<number, StorageError> {
    return Effect.andThen(
      this.begin(writing),
      Effect.suspend(() => this.writes.insert(change, values))
    )
  }

  part<A, E>(part: Effect.Effect<A, E>): Effect.Effect<A, E | StorageError> {
    return Effect.andThen(
      this.begin(writing),
      Effect.suspend(() => {
        const { size } = this.writes
        return Effect.onExit(part, (exit) =>
          Exit.isFailure(exit) ? Effect.sync(() => this.writes.truncate(size)) : Effect.void
        )
      })
    )
  }

  describe(): string {
    return this.connection.describe()
  }

  /** Makes sure that the call has its marker, even before its turn: otherwise a later transaction could take the call over. */
  private begin(kind: typeof reading | typeof writing): Effect.Effect<void, StorageError> {
    if (this.marker.covers(kind)) return Effect.void
    const { lockTimeout, transactionMutex, writerMutex } = this.settings
    return Effect.gen({ self: this }, function* () {
      const isFirst = !this.marker.isPlaced
      yield* this.marker.place(kind)
      if (isFirst) {
        yield* transactionMutex.acquire(this, lockTimeout)
        const onStart = yield* OnTransactionStart
        onStart()
      } else {
        yield* this.orFail(this.marker.removeReading)
      }
      if (kind === writing) yield* writerMutex.acquire(this, lockTimeout)
    })
  }

  private orFail<A>(statement: Effect.Effect<A, LibraryError>): Effect.Effect<A, StorageError> {
    return Effect.mapError(statement, (failed) =>
      failed._tag === "StatementFailed" ? hostError(failed.cause) : unresponsiveError(this.connection.describe())
    )
  }
}
