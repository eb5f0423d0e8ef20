import { afterEnd } from "@petstore/core/adapter-toolkit"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { orStorageError, statementError } from "../connection/errors.ts"
import type { Parameter, PostgresConnection } from "../connection/PostgresConnection.ts"
import { definingSettings } from "../connection/settings.ts"
import type { Statement, StatementRunner } from "./Statement.ts"

/** One committed state of the store, on a connection that reads nothing else meanwhile. */
export class Snapshot implements StatementRunner {
  readonly connection: PostgresConnection
  private isOver = false

  constructor(connection: PostgresConnection) {
    this.connection = connection
  }

  /** Begins a snapshot of what is committed now, on a connection that was taken. */
  static readonly begin = (
    pool: ConnectionPool,
    connection: PostgresConnection
  ): Effect.Effect<Snapshot, StorageError> =>
    orStorageError(async () => {
      try {
        // The transaction reads the state of its first statement.
        await connection.run(
          [`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${pool.settings}`, ...definingSettings, "SELECT 1"].join(
            "; "
          )
        )
        return new Snapshot(connection)
      } catch (cause) {
        connection.break()
        pool.give(connection)
        throw cause
      }
    })

  /** Ends the snapshot: statements that the body has left running are rejected. Nobody waits until its connection is free. */
  readonly end = (pool: ConnectionPool): Effect.Effect<void> =>
    Effect.sync(() => {
      this.isOver = true
      const { connection } = this
      void connection
        .run("ROLLBACK")
        .catch(() => connection.break())
        .then(() => pool.give(connection))
    })

  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Effect.Effect<A, StorageError> {
    return Effect.suspend(() =>
      this.isOver
        ? Effect.die(afterEnd())
        : Effect.tryPromise({
            try: async () => statement.decode(await this.connection.query(statement.text, values)),
            catch: statementError
          })
    )
  }
}
