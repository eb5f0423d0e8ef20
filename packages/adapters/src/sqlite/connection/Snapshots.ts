import type { DatabaseSync } from "node:sqlite"
import { ShuttingDown } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { Session } from "../statements/Session.ts"
import type { Connection } from "./Connection.ts"
import { statementError } from "./errors.ts"

/** Connections that are kept for the next snapshots; more are closed after use. */
const kept = 4

/** Gives each snapshot a connection of its own, so that a long one holds up nobody. */
export class Snapshots {
  private readonly connect: () => Connection
  private readonly open = new Set<Connection>()
  private readonly idle: Array<Connection> = []
  private closed = false

  constructor(connect: () => Connection) {
    this.connect = connect
  }

  /** Sees what is committed now, until it ends. */
  readonly begin: Effect.Effect<Session<DatabaseSync>, StorageError> = Effect.suspend(() =>
    this.closed
      ? Effect.fail(new ShuttingDown({}))
      : Effect.try({ try: () => this.start(this.idle.pop() ?? this.connect()), catch: statementError })
  )

  readonly end = (session: Session<DatabaseSync>): Effect.Effect<void> =>
    Effect.sync(() => {
      const { connection } = session
      session.end()
      connection.rollback()
      if (this.open.has(connection) && this.idle.length < kept) this.idle.push(connection)
      else this.disconnect(connection)
    })

  /** Closes all connections. What still reads from a snapshot fails. */
  readonly close: Effect.Effect<void> = Effect.sync(() => {
    this.closed = true
    for (const connection of this.open) this.disconnect(connection)
  })

  private start(connection: Connection): Session<DatabaseSync> {
    this.open.add(connection)
    try {
      connection.run("BEGIN")
      // The first read fixes the moment.
      connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get()
    } catch (cause) {
      this.disconnect(connection)
      throw cause
    }
    return new Session(connection)
  }

  private disconnect(connection: Connection): void {
    if (this.open.delete(connection)) connection.database.close()
  }
}
