import { AsyncLocalStorage } from "node:async_hooks"
import {
  durationOption,
  type OptionTable,
  optionsCheck,
  StorageBusy,
  signalOption,
  valuesOf
} from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Mutex, type MutexHolder } from "../../sql/Mutex.ts"
import { now, retrySoon, retryWhileBusy } from "../connection/busyRetry.ts"
import { statementError } from "../connection/errors.ts"
import { type HostDatabase, isHostDatabase } from "./HostDatabase.ts"

/** How a host transaction waits. */
export interface HostTransactionOptions {
  /** How long to wait for other transactions on the connection, and then for other connections that write. Default: 5 seconds. */
  readonly lockTimeout?: Duration.Input
  /** Cancels the wait. A transaction that has begun runs to its end. */
  readonly signal?: AbortSignal
}

const hostTransactionOptions = {
  lockTimeout: { schema: durationOption, default: "5 seconds" },
  signal: { schema: signalOption }
} satisfies OptionTable<HostTransactionOptions>

const checkOptions = optionsCheck("hostTransaction", '{ lockTimeout: "5 seconds" }', hostTransactionOptions)

/** A transaction that {@link hostTransaction} has begun. */
interface Owned {
  readonly database: HostDatabase
  isOver: boolean
}

interface Shared {
  readonly mutex: Mutex
  current: Owned | undefined
}

const connections = new WeakMap<HostDatabase, Shared>()
const transactions = new WeakMap<object, Owned>()
/** The transaction whose function runs. */
const inside = new AsyncLocalStorage<Owned>()

const sharedOf = (database: HostDatabase): Shared => {
  let shared = connections.get(database)
  if (shared === undefined) {
    shared = { mutex: new Mutex(), current: undefined }
    connections.set(database, shared)
  }
  return shared
}

const over = "This hostTransaction has ended. Await everything that uses its transaction before its function returns."

const usage =
  "hostTransaction needs a DatabaseSync of node:sqlite and a function, as in hostTransaction(db, async (tx) => ...)"

const nested =
  "hostTransaction was called inside its own function for the same connection, where it would wait for itself. Use the transaction that is the argument of the function."

const notGiven =
  "A hostTransaction is open on this connection. Pass the argument of its function to the call, as { transaction: tx }, or make the call afterwards."

const closed = "The connection of hostTransaction is closed. Open it first."

const begunByHand =
  "The connection has a transaction open that hostTransaction has not begun. Begin all transactions of a shared connection with hostTransaction."

const endedByHand =
  "The transaction ended before the function of hostTransaction did, by a COMMIT or ROLLBACK in it or by SQLite after an error. Leave both to hostTransaction."

const locked = "Another connection writes to the database. Call hostTransaction again, or give it a longer lockTimeout."

/** The connection on which a call with this `transaction` runs, or an error message. */
export const connectionGiven = (given: HostDatabase): HostDatabase | string => {
  const owned = transactions.get(given)
  if (owned !== undefined) return owned.isOver ? over : owned.database
  return connections.get(given)?.current === undefined ? given : notGiven
}

/** Methods whose results run statements too. */
const makers: ReadonlyArray<PropertyKey> = ["prepare", "createTagStore"]

/** A proxy of an object, and of what it prepares, that throws once the transaction has ended. */
const whileOpen = <Target extends object>(target: Target, owned: Owned): Target =>
  new Proxy(target, {
    get: (_, name) => {
      if (owned.isOver && (name === "isOpen" || name === "isTransaction")) return false
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== "function") return value
      return (...values: ReadonlyArray<unknown>): unknown => {
        if (owned.isOver) throw new Error(over)
        const result: unknown = Reflect.apply(value, target, values)
        return makers.includes(name) ? whileOpen(Object(result), owned) : result
      }
    }
  })

/** The connection for the function of a hostTransaction, which can use it until the transaction ends. */
const transactionOf = <Database extends HostDatabase>(database: Database, owned: Owned): Database => {
  const transaction = whileOpen(database, owned)
  transactions.set(transaction, owned)
  return transaction
}

const execute = (database: HostDatabase, sql: string): void => {
  database.prepare(sql).run()
}

/** Rolls the open transaction back, if there is one. If that fails, SQLite has done it already. */
const rollback = (database: HostDatabase): void => {
  try {
    if (database.isOpen && database.isTransaction) execute(database, "ROLLBACK")
  } catch {}
}

const beginError = (cause: unknown): StorageError => {
  const error = statementError(cause)
  return error instanceof StorageBusy ? new StorageBusy({}, { message: locked, cause }) : error
}

/**
 * Runs a function in a transaction, on a connection that parts of your app share: begins it with `BEGIN IMMEDIATE`, and commits
 * it, or rolls it back if the function throws. Transactions on one connection run one after the other, so that statements of
 * other code never become part of a transaction whose function awaits something. Pass `tx` to the calls of the petstore, and
 * use it for your own statements.
 *
 * Rejects with what the function throws, and with `storage_busy` after waiting for `lockTimeout`.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite"
 * import { hostTransaction, sqlite } from "@petstore/adapters/sqlite"
 * import { createPetstore } from "@petstore/core"
 *
 * const db = new DatabaseSync("shop.db")
 * db.exec("CREATE TABLE IF NOT EXISTS invoices (order_id INTEGER NOT NULL)")
 * const petstore = await createPetstore({ storage: sqlite({ database: db }) })
 * await hostTransaction(db, async (tx) => {
 *   const order = await petstore.orders.place({}, { transaction: tx })
 *   tx.prepare("INSERT INTO invoices (order_id) VALUES (?)").run(order.id)
 * })
 * ```
 */
export const hostTransaction = async <Database extends HostDatabase, A>(
  database: Database,
  body: (tx: Database) => A | PromiseLike<A>,
  options: HostTransactionOptions = {}
): Promise<A> => {
  if (typeof database !== "object" || database === null || !isHostDatabase(database)) throw new TypeError(usage)
  if (typeof body !== "function") throw new TypeError(usage)
  checkOptions(options)
  const { signal } = options
  const { lockTimeout } = valuesOf(hostTransactionOptions, options)
  if (transactions.has(database)) throw new TypeError(nested)
  const shared = sharedOf(database)
  const surrounding = inside.getStore()
  if (surrounding !== undefined && surrounding === shared.current) throw new TypeError(nested)
  signal?.throwIfAborted()

  const started = now()
  const limit = Duration.toMillis(lockTimeout)
  const name = body.name === "" ? "hostTransaction" : `hostTransaction of ${body.name}`
  let since = started
  const holder: MutexHolder = {
    describe: () => `a ${name} has been running on this connection for ${((now() - since) / 1000).toFixed(1)} s`
  }
  const wait = <B, E>(effect: Effect.Effect<B, E>): Promise<B> =>
    Effect.runPromise(effect, { signal }).catch((error: unknown) => {
      throw signal?.aborted === true ? signal.reason : error
    })

  const owned: Owned = { database, isOver: false }
  try {
    await wait(shared.mutex.acquire(holder, limit))
    since = now()
    if (!database.isOpen) throw new TypeError(closed)
    if (database.isTransaction) throw new TypeError(begunByHand)
    const begin = (): void => {
      execute(database, "BEGIN IMMEDIATE")
      shared.current = owned
    }
    await wait(retryWhileBusy(Math.max(0, limit - (now() - started)), beginError, retrySoon, begin))
    const value = await inside.run(owned, () => body(transactionOf(database, owned)))
    if (!database.isOpen || !database.isTransaction) throw new Error(endedByHand)
    execute(database, "COMMIT")
    return value
  } finally {
    owned.isOver = true
    if (shared.current === owned) {
      shared.current = undefined
      rollback(database)
    }
    shared.mutex.release(holder)
  }
}
