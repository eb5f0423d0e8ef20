import { runBody } from "@petstore/core/adapter-toolkit"
import { type StorageError, Transaction } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { Connection } from "../connection/Connection.ts"
import type { HostDatabase } from "../host/HostDatabase.ts"
import { type Statement, type StatementRunner, usedAfterEnd } from "../statements/Statement.ts"

/** A transaction that is open on the writer, or on a connection of the host application, as one body uses it. */
export class ConnectionTransaction implements StatementRunner {
  readonly store: object
  /** Why nothing of the transaction is left. Its savepoints are gone too, and a further write would commit by itself. */
  abortReason: StorageError | undefined
  /** Whether it has changed something that was not rolled back. */
  wrote = false
  private readonly connection: Connection<HostDatabase>
  private isOver = false

  constructor(connection: Connection<HostDatabase>, store: object) {
    this.connection = connection
    this.store = store
  }

  /** Runs a body as a part of this transaction that fails alone. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E | StorageError> {
    const refusal = this.refusal
    if (refusal !== undefined) return refusal
    this.control("SAVEPOINT petstore_part")
    const part = new ConnectionTransaction(this.connection, this.store)
    // What the body needs beside the transaction is in the context; the compiler cannot put the two together again.
    const services = Context.add(context, Transaction, part) as Context.Context<R>
    const exit: Exit.Exit<A, E | StorageError> =
      this.abortReason === undefined ? runBody(services, body) : Exit.fail(this.abortReason)
    part.isOver = true
    if (part.abortReason !== undefined) this.abortReason = part.abortReason
    if (Exit.isFailure(exit)) this.control("ROLLBACK TO petstore_part")
    else if (part.wrote) this.wrote = true
    this.control("RELEASE petstore_part")
    return exit
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<SqlValue>): Exit.Exit<A, StorageError> {
    const refusal = this.refusal
    if (refusal !== undefined) return refusal
    const exit = this.connection.execute(statement, values)
    if (Exit.isSuccess(exit)) {
      if (statement.writes === true) this.wrote = true
      return exit
    }
    // Some errors (disk full, I/O) end the transaction, others only the statement. Only this shows which.
    const error = Cause.findError(exit.cause)
    if (Result.isSuccess(error) && !this.connection.inTransaction) this.abortReason = error.success
    return exit
  }

  /** Why no more statements run in it. */
  private get refusal(): Exit.Exit<never, StorageError> | undefined {
    if (this.isOver) return usedAfterEnd()
    return this.abortReason === undefined ? undefined : Exit.fail(this.abortReason)
  }

  private control(sql: string): void {
    if (this.abortReason !== undefined) return
    try {
      this.connection.run(sql)
    } catch (cause) {
      this.abortReason = this.connection.explain(cause)
    }
  }
}
