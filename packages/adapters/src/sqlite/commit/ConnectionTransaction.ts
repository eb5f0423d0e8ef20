import { runBody } from "@petstore/core/adapter-toolkit"
import { type StorageError, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { Connection } from "../connection/Connection.ts"
import type { HostDatabase } from "../host/HostDatabase.ts"
import { Session, type Statement } from "../statements/Session.ts"

/** A transaction that is open on the writer, or on a connection of the host, as one body sees it. */
export class ConnectionTransaction extends Session {
  readonly store: object
  /** Why the whole transaction is gone. Its savepoints are too, and a further write would commit by itself. */
  lost: StorageError | undefined
  /** Whether it has changed something that was not taken back. */
  wrote = false

  constructor(connection: Connection<HostDatabase>, store: object) {
    super(connection)
    this.store = store
  }

  /** Runs a body as a part of this transaction that fails alone. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E | StorageError> {
    if (this.refuse !== undefined) return this.refuse()
    this.control("SAVEPOINT petstore_part")
    const part = new ConnectionTransaction(this.connection, this.store)
    // What the body needs beside the transaction is in the context; the compiler cannot put the two together again.
    const services = Context.add(context, Transaction, part) as Context.Context<R>
    const exit: Exit.Exit<A, E | StorageError> =
      this.lost === undefined ? runBody(services, body) : Exit.fail(this.lost)
    part.end()
    if (part.lost !== undefined) this.lose(part.lost)
    if (Exit.isFailure(exit)) this.control("ROLLBACK TO petstore_part")
    else if (part.wrote) this.wrote = true
    this.control("RELEASE petstore_part")
    return exit
  }

  override execute<A>(statement: Statement<A>, values: ReadonlyArray<SqlValue>): Exit.Exit<A, StorageError> {
    const exit = super.execute(statement, values)
    if (statement.writes === true && Exit.isSuccess(exit)) this.wrote = true
    return exit
  }

  /** Nothing of the transaction is left: refuses all that follows with this reason. */
  lose(reason: StorageError): void {
    this.lost = reason
    this.refuse = () => Exit.fail(reason)
  }

  protected override failed(cause: unknown): StorageError {
    const error = super.failed(cause)
    // Some errors (disk full, I/O) end the transaction, some end the statement alone: SQLite tells by this only.
    if (!this.connection.inTransaction) this.lose(error)
    return error
  }

  private control(sql: string): void {
    if (this.lost !== undefined) return
    try {
      this.connection.run(sql)
    } catch (cause) {
      this.lose(this.connection.explain(cause))
    }
  }
}
