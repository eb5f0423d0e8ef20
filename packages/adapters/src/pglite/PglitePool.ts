import { ShuttingDown, StorageBusy } from "@petstore/core/domain"
import type { PooledDriverClient, PostgresPool } from "../postgres/connection/driver.ts"
import { PgliteClient, type PgliteDatabase } from "./PgliteClient.ts"

// The timers stay real where a test replaces the global ones.
const { setTimeout } = globalThis

/** Milliseconds between two looks whether the transaction of the app has ended. */
const intervalMillis = 5

/** Leases the one connection of a PGlite to one transaction, snapshot or read at a time. Statements of the app wait meanwhile. */
export class PglitePool implements PostgresPool {
  private readonly database: PgliteDatabase
  private readonly timeout: number

  /** `timeout`: milliseconds to wait for a transaction that the app has open. */
  constructor(database: PgliteDatabase, timeout: number) {
    this.database = database
    this.timeout = timeout
  }

  async connect(): Promise<PooledDriverClient> {
    await this.database.waitReady
    const until = performance.now() + this.timeout
    while (!this.database.closed) {
      const client = await this.lease()
      if (!(await client.isInTransaction())) return client
      client.release()
      if (performance.now() >= until) {
        throw new StorageBusy({}, { cause: new Error("The app has a transaction open on this PGlite") })
      }
      await new Promise((resolve) => setTimeout(resolve, intervalMillis))
    }
    throw new ShuttingDown({}, { cause: new Error("The PGlite is closed") })
  }

  private lease(): Promise<PgliteClient> {
    return new Promise((resolve, reject) => {
      this.database
        .runExclusive(() => new Promise<void>((end) => resolve(new PgliteClient(this.database, end))))
        .catch(reject)
    })
  }
}
