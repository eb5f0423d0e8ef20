import { StorageUnavailable } from "@petstore/core/domain"
import type { ConnectionSource } from "./ConnectionSource.ts"
import type { PostgresPool } from "./driver.ts"
import { PostgresConnection, type StatementNames } from "./PostgresConnection.ts"
import { defaultStatementTimeout, lateness, sessionSettings } from "./settings.ts"

const poolEnded = "The pool of your app has ended. Close the petstore before you end its pool."

/** Takes connections from a pool of the host application, which keeps its own settings on them. */
export const poolSource = (
  pool: PostgresPool,
  lockTimeout: number,
  nameOf: StatementNames | undefined,
  statementTimeout = defaultStatementTimeout
): ConnectionSource => {
  const clients = new WeakMap<PostgresConnection, Awaited<ReturnType<PostgresPool["connect"]>>>()
  return {
    address: "the pool",
    settings: sessionSettings(lockTimeout, statementTimeout).transaction,
    connect: async () => {
      if ("ending" in pool && pool.ending === true) throw new StorageUnavailable({}, { message: poolEnded })
      const client = await pool.connect()
      const connection = new PostgresConnection(client, nameOf, statementTimeout + lateness)
      clients.set(connection, client)
      return connection
    },
    disconnect: async (connection) => {
      connection.detach()
      clients.get(connection)?.release(connection.broken)
    },
    hold: () => {},
    keepsIdle: false
  }
}
