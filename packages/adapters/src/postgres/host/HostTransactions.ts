import { ShuttingDown } from "@petstore/core/domain"
import type { HostTransaction, StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlTransaction } from "../../sql/SqlTransaction.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { attempt } from "../connection/ConnectionSource.ts"
import { inSchema } from "../statements/dialect.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import { callQueueOf } from "./CallQueue.ts"
import { HostCall } from "./HostCall.ts"
import { HostConnection } from "./HostConnection.ts"
import { sqlTransactionOf } from "./hostClients.ts"

const within = "A transaction of your app cannot be joined inside another transaction of the store. Join it first."

/** Milliseconds to wait for a connection, beside what its statement waits for locks. */
const responseTime = 5_000

const invalidUse = (message: string): Exit.Exit<never> => Exit.die(new TypeError(message))

/** Runs bodies inside transactions that the host application has open. */
export class HostTransactions {
  private readonly sql: PostgresSql
  private readonly pool: ConnectionPool
  private readonly schema: string
  private readonly lockTimeout: number
  private readonly known = new WeakSet<object>()
  private readonly running = new Set<object>()
  private closed = false
  private onIdle = (): void => {}

  /** `lockTimeout`: milliseconds that a call waits for locks, and for other calls in its transaction. */
  constructor(sql: PostgresSql, pool: ConnectionPool, schema: string, lockTimeout: number) {
    this.sql = sql
    this.pool = pool
    this.schema = schema
    this.lockTimeout = lockTimeout
  }

  /** See {@link Storage.join}. */
  readonly join = <A, E, R>(
    transaction: HostTransaction,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError, Exclude<R, Transaction>> =>
    Effect.contextWith((context: Context.Context<Exclude<R, Transaction>>): Effect.Effect<A, E | StorageError> => {
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.sql.transactions.find(context) !== undefined) return invalidUse(within)
      const joined = sqlTransactionOf(transaction)
      if (typeof joined === "string") return invalidUse(joined)
      return Effect.flatMap(this.database, (database) => this.run(joined, database, context, body))
    })

  /** Rejects calls from now on, and completes when those that run have returned. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.closed = true
    if (this.running.size === 0) return resume(Effect.void)
    this.onIdle = () => resume(Effect.void)
  })

  /** Identifies the database of this store. */
  private readonly database: Effect.Effect<string, StorageError> = Effect.suspend(() => {
    if (this.identity !== undefined) return Effect.succeed(this.identity)
    const text = inSchema(this.schema, "SELECT petstore_database() AS database")
    return Effect.map(
      attempt(() => this.pool.read(text, [])),
      ({ rows: [row] }) => {
        this.identity = String(row?.database)
        return this.identity
      }
    )
  })
  private identity: string | undefined

  private run<A, E, R>(
    transaction: SqlTransaction,
    database: string,
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    const { identity } = transaction
    const { known, lockTimeout, schema } = this
    const queue = callQueueOf(identity)
    const call = new HostCall({
      connection: new HostConnection(transaction, schema, lockTimeout + responseTime),
      identity,
      known,
      database,
      address: this.pool.address,
      queue,
      lockTimeout,
      schema,
      transactions: this.sql.transactions
    })
    return Effect.uninterruptibleMask((restore) => {
      this.running.add(call)
      return restore(queue.turn(call, lockTimeout)).pipe(
        Effect.andThen(Effect.flatten(Effect.promise(() => call.run(context, body)))),
        Effect.ensuring(
          Effect.sync(() => {
            queue.end(call)
            this.running.delete(call)
            if (this.running.size === 0) this.onIdle()
          })
        )
      )
    })
  }
}
