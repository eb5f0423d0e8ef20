import { afterEnd } from "@petstore/core/adapter-toolkit"
import { ShuttingDown } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Statement } from "../../sql/Program.ts"
import type { Value } from "../../sql/Value.ts"
import type { Connection, StatementRunner } from "./Connection.ts"
import { statementError } from "./errors.ts"

/** Idle connections that are kept for the next snapshots; others are closed after use. */
const maxIdleConnections = 4

/** One committed state of the store, on a connection that reads nothing else meanwhile. */
export class Snapshot implements StatementRunner {
  readonly connection: Connection
  private isOver = false

  constructor(connection: Connection) {
    this.connection = connection
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<Value>): Exit.Exit<A, StorageError> {
    return this.isOver ? Exit.die(afterEnd()) : this.connection.execute(statement, values)
  }

  /** Rejects statements that the body has left running. */
  end(): void {
    this.isOver = true
  }
}

/** Gives each snapshot its own connection, so that a long one does not block others. */
export class Snapshots {
  private readonly connect: () => Connection
  private readonly open = new Set<Connection>()
  private readonly idle: Array<Connection> = []
  private closed = false

  constructor(connect: () => Connection) {
    this.connect = connect
  }

  readonly begin: Effect.Effect<Snapshot, StorageError> = Effect.suspend(() => this.take())

  readonly end = (snapshot: Snapshot): Effect.Effect<void> => Effect.sync(() => this.release(snapshot))

  /** Begins a snapshot of what is committed now. */
  take(): Exit.Exit<Snapshot, StorageError> {
    if (this.closed) return Exit.fail(new ShuttingDown({}))
    try {
      return Exit.succeed(this.start(this.idle.pop() ?? this.connect()))
    } catch (cause) {
      return Exit.fail(statementError(cause))
    }
  }

  release(snapshot: Snapshot): void {
    const { connection } = snapshot
    snapshot.end()
    if (this.canReuse(connection)) this.idle.push(connection)
    else this.disconnect(connection)
  }

  /** Closes all connections. What still reads from a snapshot fails. */
  readonly close: Effect.Effect<void> = Effect.sync(() => {
    this.closed = true
    for (const connection of this.open) this.disconnect(connection)
  })

  private start(connection: Connection): Snapshot {
    this.open.add(connection)
    try {
      connection.run("BEGIN")
      // The transaction reads the state of its first read.
      connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get()
    } catch (cause) {
      this.disconnect(connection)
      throw cause
    }
    return new Snapshot(connection)
  }

  private canReuse(connection: Connection): boolean {
    if (!this.open.has(connection) || this.idle.length >= maxIdleConnections) return false
    try {
      connection.rollback()
      return true
    } catch {
      return false
    }
  }

  private disconnect(connection: Connection): void {
    if (this.open.delete(connection)) connection.database.close()
  }
}
