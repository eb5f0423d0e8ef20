import { type OptionTable, optionsCheck, ShuttingDown, StorageBusy, shown } from "@petstore/core/domain"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PooledDriverClient, PostgresPool } from "../postgres/connection/driver.ts"
import { poolSource } from "../postgres/connection/poolSource.ts"
import { optionsOf, type PostgresOptions, postgresOptions, settingsOf } from "../postgres/PostgresOptions.ts"
import { openStore } from "../postgres/store.ts"
import { PgliteClient, type PgliteDatabase } from "./PgliteClient.ts"

// The timers stay real where a test replaces the global ones.
const { setTimeout } = globalThis

/** Milliseconds between two looks whether the transaction of the app has ended. */
const intervalMillis = 5

/** Leases the one connection of a PGlite to one transaction, snapshot or read at a time. Statements of the app wait meanwhile. */
class PglitePool implements PostgresPool {
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

/** Options of a store in a PGlite; those of `postgres` that one connection in the process leaves. */
export type PgliteOptions = Pick<PostgresOptions, "schema" | "migrate" | "lockTimeout" | "groups">

const { groups, lockTimeout, migrate, schema } = postgresOptions

const check = optionsCheck("pglite", '{ schema: "petstore" }', {
  schema,
  migrate,
  lockTimeout,
  groups
} satisfies OptionTable<PgliteOptions>)

/** Opens a store; the PGlite stays open when it closes. It cannot join transactions: there is no other connection. */
export const openPgliteStore = (database: PgliteDatabase, options: PgliteOptions) => {
  const { lockTimeout: limit, statementTimeout } = settingsOf({ ...options, url: "" })
  const pool = new PglitePool(database, limit)
  return openStore(optionsOf({ ...options, pool, maxConnections: 1 }), {
    // It may take longer to start than a client may take to come, which says why it failed.
    source: Effect.as(
      Effect.promise(() => Promise.allSettled([database.waitReady])),
      poolSource(pool, limit, undefined, statementTimeout)
    )
  })
}

/**
 * Stores the petstore in PGlite, which is PostgreSQL in WebAssembly in your process: the same statements as `postgres`, without
 * a server, in browsers too. It has one connection, so transactions run one after the other, and your own statements wait for them.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite"
 * import { pglite } from "@petstore/adapters/pglite"
 * import { createPetstore } from "@petstore/core"
 *
 * const database = new PGlite()
 * const petstore = await createPetstore({ storage: pglite(database) })
 * await petstore.categories.create({ name: "Dogs" })
 * await petstore.close()
 * await database.close()
 * ```
 */
export const pglite = (database: PgliteDatabase, options: PgliteOptions = {}): StorageAdapter => {
  const given = check(options)
  if (typeof Object(database).execProtocol !== "function") {
    throw new TypeError(`pglite takes a PGlite, as in pglite(new PGlite()), not ${shown(database)}`)
  }
  return { name: "pglite", layer: Layer.effect(Storage, openPgliteStore(database, given)) }
}
