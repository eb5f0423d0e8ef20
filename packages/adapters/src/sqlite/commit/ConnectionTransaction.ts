import { type OpenTransactions, SynchronousTransaction } from "@petstore/core/adapter-toolkit"
import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { Connection } from "../connection/Connection.ts"
import type { HostDatabase } from "../host/HostDatabase.ts"
import type { SqliteTransaction, Statement } from "../statements/Statement.ts"

/**
 * A transaction that is open on the writer, or on a connection of the host application. Its parts are savepoints, but for one
 * that is all of it.
 */
export class ConnectionTransaction extends SynchronousTransaction implements SqliteTransaction {
  private readonly connection: Connection<HostDatabase>
  private readonly transactions: OpenTransactions<SqliteTransaction>
  private isNextWhole: boolean
  /** Whether a part that was all of the transaction has failed, and rolled it back. */
  rolledBack = false

  /** `hasOnePart`: whether the first part will be all of the transaction, which the caller has begun for it. */
  constructor(
    connection: Connection<HostDatabase>,
    transactions: OpenTransactions<SqliteTransaction>,
    hasOnePart = false
  ) {
    super()
    this.isNextWhole = hasOnePart
    this.connection = connection
    this.transactions = transactions
  }

  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E | StorageError> {
    return this.part(() => this.transactions.runBody(this, context, body))
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
    return statement.writes === true ? this.write(operation) : this.read(operation)
  }

  protected nested(body: () => boolean): void {
    if (this.isNextWhole) {
      this.isNextWhole = false
      this.rolledBack = !body() && this.lost === undefined
      if (this.rolledBack) this.connection.run("ROLLBACK")
      return
    }
    this.connection.run("SAVEPOINT petstore_part")
    const isKept = body()
    if (this.lost !== undefined) return
    if (!isKept) this.connection.run("ROLLBACK TO petstore_part")
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
