import type { FailureOf, Yielded } from "@petstore/core/engine"
import { type BeginCommand, OnTransactionStart, type StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import type { Mutex, MutexHolder } from "../../sql/Mutex.ts"
import { type AnyRequest, Asked, Changed, Claimed, NewIds, runProgram } from "../../sql/Program.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { StoredRow } from "../../sql/Statement.ts"
import { nameOf } from "../../sql/tableText.ts"
import { bind } from "../connection/Connection.ts"
import { openRows } from "../statements/sqliteRows.ts"
import { CallCompletion } from "./CallCompletion.ts"
import { CallMarker, type CallMarkerSettings, reading, writing } from "./CallMarker.ts"
import { hostError, unresponsiveError } from "./hostErrors.ts"
import type { LibraryConnection } from "./LibraryConnection.ts"
import { notInCalls, WriteSet } from "./WriteSet.ts"
import type { LibraryError } from "./waitForResult.ts"

export interface BridgedCallSettings extends CallMarkerSettings {
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
    this.writes = new WriteSet((sql, values) => this.read(sql, values))
  }

  /** Runs a command as this call. */
  run<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: BeginCommand<Y, A>
  ): Effect.Effect<A, FailureOf<Y> | StorageError> {
    const { transactionMutex, writerMutex } = this.settings
    return Effect.uninterruptibleMask(
      (restore) =>
        Effect.gen({ self: this }, function* () {
          const ran = runProgram(openRows.run(context, begin), (request) => this.answer(request))
          const exit = yield* Effect.exit(restore(ran))
          return yield* new CallCompletion(this.connection, this.marker, this.writes).finish(exit)
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              writerMutex.release(this)
              transactionMutex.release(this)
            })
          )
        )
      // With a synchronous library all statements run in one turn of the event loop, and nothing of the application in between.
    ).pipe(Effect.provideService(Scheduler.PreventSchedulerYield, true))
  }

  /** Carries out a request of a program. */
  private answer(request: AnyRequest): Effect.Effect<unknown, StorageError> {
    if (request instanceof Asked) return this.execute(request)
    return Effect.andThen(
      this.begin(writing),
      Effect.suspend((): Effect.Effect<unknown, StorageError> => {
        // The call that writes holds every name as long as its transaction is open.
        if (request instanceof Claimed) return Exit.succeed(true)
        if (request instanceof NewIds) return this.writes.newIds(nameOf(request.table), request.count)
        return request instanceof Changed ? this.writes.addAll(request.writes) : notInCalls
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
      Effect.suspend(() => Effect.map(this.read(sql, bind(values)), decode))
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

  private read(sql: string, values: ReadonlyArray<SqlValue>): Effect.Effect<ReadonlyArray<StoredRow>, StorageError> {
    return this.orFail(this.connection.rows({ sql, values }))
  }

  private orFail<A>(statement: Effect.Effect<A, LibraryError>): Effect.Effect<A, StorageError> {
    return Effect.mapError(statement, (failed) =>
      failed._tag === "StatementFailed" ? hostError(failed.cause) : unresponsiveError(this.connection.describe())
    )
  }
}
