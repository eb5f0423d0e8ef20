import type { FailureOf, Yielded } from "@petstore/core/kernel"
import type { Asker, BeginCommand, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { JoinedTransactions } from "../../sql/JoinedTransactions.ts"
import type { SqlTransaction } from "../../sql/SqlTransaction.ts"
import type { SchemaCheck } from "../commit/SchemaCheck.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { orStorageError } from "../connection/errors.ts"
import { inSchema } from "../statements/dialect.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import { type CallQueue, callQueueOf } from "./CallQueue.ts"
import { HostCall } from "./HostCall.ts"
import { sqlTransactionOf } from "./HostClient.ts"
import { HostConnection } from "./HostConnection.ts"

/** Milliseconds to wait for the response to a statement, beyond its wait for locks. */
const responseTimeMillis = 5_000

interface HostSettings {
  readonly schema: string
  readonly schemaCheck: SchemaCheck
  /** Milliseconds that a call waits for locks, and for other calls in its transaction. */
  readonly lockTimeout: number
  /** Milliseconds that it waits for its connection in all. */
  readonly timeout: number
  /** Called after a call that wrote, since nobody reports when the application commits; and now if events are pending. */
  readonly onWrite: () => void
}

/** Runs commands inside transactions that the host application has open. */
export class HostTransactions extends JoinedTransactions<SqlTransaction> {
  private readonly sql: PostgresSql
  private readonly address: string
  private readonly database: string
  private readonly settings: HostSettings
  private readonly lockTimeout: number
  private readonly known = new WeakSet<object>()
  private readonly running = new Set<object>()
  private onIdle = (): void => {}

  static open(
    sql: PostgresSql,
    pool: ConnectionPool,
    settings: HostSettings
  ): Effect.Effect<HostTransactions, StorageError> {
    const text = inSchema(
      settings.schema,
      "SELECT petstore_database() AS database, EXISTS (SELECT 1 FROM petstore_pending) AS pending"
    )
    return Effect.map(
      orStorageError(() => pool.read(text, [])),
      ({ rows: [row] }) => {
        if (row?.pending === true) settings.onWrite()
        return new HostTransactions(sql, pool.address, String(row?.database), settings)
      }
    )
  }

  private constructor(sql: PostgresSql, address: string, database: string, settings: HostSettings) {
    super()
    this.sql = sql
    this.address = address
    this.database = database
    this.settings = settings
    this.lockTimeout = Math.min(settings.lockTimeout, settings.timeout)
  }

  protected find(given: unknown): SqlTransaction | string {
    return sqlTransactionOf(given)
  }

  protected override readonly idle: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.running.size === 0) return resume(Effect.void)
    this.onIdle = () => resume(Effect.void)
  })

  protected run<Y extends Yielded, A>(
    transaction: SqlTransaction,
    begin: BeginCommand<Y, A>,
    { services }: Asker
  ): Effect.Effect<A, FailureOf<Y> | StorageError> {
    const { identity } = transaction
    const { address, database, known, lockTimeout, sql } = this
    const { onWrite, schema, schemaCheck, timeout } = this.settings
    const queue = callQueueOf(identity)
    const connection = new HostConnection(
      transaction,
      queue,
      schema,
      Math.min(lockTimeout + responseTimeMillis, timeout)
    )
    const call = new HostCall({
      connection,
      identity,
      known,
      database,
      address,
      lockTimeout,
      schema,
      schemaCheck,
      sql
    })
    const turn = Effect.interruptible(turnOf(call, queue, lockTimeout))
    const outcome = Effect.suspend(() => {
      const done = call.run(services, begin)
      const waits = Effect.callback<void>((resume) => {
        void done.then(() => resume(Effect.void))
        return Effect.sync(() => call.cancel())
      })
      // Once the call has begun to write, its outcome counts.
      return Effect.andThen(Effect.exit(Effect.interruptible(waits)), Effect.flatten(Effect.promise(() => done)))
    })
    return Effect.uninterruptible(
      Effect.suspend(() => {
        this.running.add(call)
        return Effect.ensuring(
          Effect.andThen(turn, outcome),
          Effect.sync(() => {
            queue.end(call)
            connection.end()
            if (call.wrote) onWrite()
            this.running.delete(call)
            if (this.running.size === 0) this.onIdle()
          })
        )
      })
    )
  }
}

/** Waits for the turn of a call. */
const turnOf = (call: HostCall, queue: CallQueue, timeout: number): Effect.Effect<void, StorageError> =>
  Effect.suspend(() =>
    queue.tryTurn(call)
      ? Effect.void
      : Effect.andThen(
          call.enter,
          Effect.suspend(() => (call.waits ? queue.turn(call, timeout) : Effect.void))
        )
  )
