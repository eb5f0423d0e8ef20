import { StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import type { ConnectionSource } from "./ConnectionSource.ts"
import type { PooledDriverClient, PostgresPool } from "./driver.ts"
import { PostgresConnection, type StatementNames } from "./PostgresConnection.ts"
import { latenessMillis, sessionSettings } from "./settings.ts"

// The timers stay real where a test replaces the global ones.
const { clearTimeout, setTimeout } = globalThis

const poolEnded = "The pool of your app has ended. Close the petstore before you end its pool."

const noClient = (milliseconds: number): StorageBusy => {
  const reason = `The pool of your app had no free client for ${milliseconds} ms`
  const message = `${reason}. Nothing was changed. Release each client as soon as it is unused, hold none during a call of the petstore without { transaction }, or raise max of the pool.`
  return new StorageBusy({}, { message, cause: new Error(reason) })
}

/** Takes clients from a pool of the host application, and waits for each for a limited time. */
class PoolClients {
  private readonly pool: PostgresPool
  /** Clients that nobody waits for any more. The pool cannot withdraw a request, so the next caller takes it over. */
  private readonly abandoned: Array<Promise<PooledDriverClient>> = []

  constructor(pool: PostgresPool) {
    this.pool = pool
  }

  take(milliseconds: number): Promise<PooledDriverClient> {
    const requested = this.abandoned.shift() ?? this.pool.connect()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.abandon(requested)
        reject(noClient(milliseconds))
      }, milliseconds)
      requested.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }

  private abandon(requested: Promise<PooledDriverClient>): void {
    this.abandoned.push(requested)
    /** Whether nobody has taken it over. */
    const isFree = (): boolean => {
      const at = this.abandoned.indexOf(requested)
      if (at >= 0) this.abandoned.splice(at, 1)
      return at >= 0
    }
    requested.then(
      (client) => {
        if (isFree()) client.release()
      },
      () => isFree()
    )
  }
}

/** Takes connections from a pool of the host application, which keeps its own settings on them. */
export const poolSource = (
  pool: PostgresPool,
  lockTimeout: number,
  nameOf: StatementNames | undefined,
  statementTimeout: number
): ConnectionSource => {
  const clients = new PoolClients(pool)
  const taken = new WeakMap<PostgresConnection, PooledDriverClient>()
  return {
    address: "the pool",
    settings: sessionSettings(lockTimeout, statementTimeout).transaction,
    connect: async (deadline = Number.POSITIVE_INFINITY) => {
      if ("ending" in pool && pool.ending === true) throw new StorageUnavailable({}, { message: poolEnded })
      const client = await clients.take(Math.min(lockTimeout, Math.max(0, Math.ceil(deadline - performance.now()))))
      const connection = new PostgresConnection(client, nameOf, statementTimeout + latenessMillis)
      taken.set(connection, client)
      return connection
    },
    disconnect: async (connection) => {
      connection.detach()
      taken.get(connection)?.release(connection.broken)
    },
    hold: () => {},
    keepsIdle: false
  }
}
