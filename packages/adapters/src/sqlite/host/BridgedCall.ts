import type { OpenTransactions } from "@petstore/core/adapter-toolkit"
import { OnTransactionStart, type StorageError, type Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import type { Mutex, MutexHolder } from "../../sql/Mutex.ts"
import type { OpenTransaction } from "../../sql/OpenTransaction.ts"
import { type AnyRequest, Asked, Claimed, NewIds } from "../../sql/Program.ts"
import { nameOf } from "../../sql/tableText.ts"
import { bind, type Connection } from "../connection/Connection.ts"
import { BridgedTransaction } from "./BridgedTransaction.ts"
import { CallCompletion } from "./CallCompletion.ts"
import { CallMarker, type CallMarkerSettings, reading, writing } from "./CallMarker.ts"
import { hostError, unresponsiveError } from "./hostErrors.ts"
import type { LibraryConnection } from "./LibraryConnection.ts"
import { notInCalls, WriteSet } from "./WriteSet.ts"
import type { LibraryError } from "./waitForResult.ts"

export interface BridgedCallSettings extends CallMarkerSettings {
  /** A connection of the engine, on which the tables exist. */
  readonly own: Connection
  readonly transactions: OpenTransactions<OpenTransaction>
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
export class BridgedCall implements MutexHolder {
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
        const exit = yield* Effect.exit(transaction.within(services, restore(body)))
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

  /** Carries out a request of a program. */
  answer(request: AnyRequest): Effect.Effect<unknown, StorageError> {
    if (request instanceof Asked) return this.execute(request)
    return Effect.andThen(
      this.begin(writing),
      Effect.suspend((): Effect.Effect<unknown, StorageError> => {
        // The call that writes holds every name as long as its transaction is open.
        if (request instanceof Claimed) return Exit.succeed(true)
        return request instanceof NewIds
          ? this.writes.newIds(nameOf(request.table), request.count)
          : this.writes.addAll(request.writes)
      })
    )
  }

  /** Runs a part of the call: its writes are dropped unless it succeeds. */
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

  private execute<A>({ statement, values }: Asked<A>): Effect.Effect<A, StorageError> {
    const { decode, sql, use } = statement
    if (use === "write") return notInCalls
    return Effect.andThen(
      this.begin(use === "read" ? reading : writing),
      Effect.suspend(() => Effect.map(this.writes.query(sql, bind(values)), decode))
    )
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
