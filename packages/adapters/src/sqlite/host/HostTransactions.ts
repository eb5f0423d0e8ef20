import { ShuttingDown } from "@petstore/core/domain"
import type { HostTransaction, StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isSqlTransaction, type SqlTransaction } from "../../sql/SqlTransaction.ts"
import { ConnectionTransaction } from "../commit/ConnectionTransaction.ts"
import { Connection } from "../connection/Connection.ts"
import { type Identity, identify, identityOf } from "../connection/connectionIdentity.ts"
import type { SqliteSql } from "../statements/SqliteSql.ts"
import { BridgedCall } from "./BridgedCall.ts"
import { type HostDatabase, isHostDatabase } from "./HostDatabase.ts"
import { hostError, notOpen } from "./hostErrors.ts"
import { connectionGiven } from "./hostTransaction.ts"
import { ColumnNames, LibraryConnection } from "./LibraryConnection.ts"
import { Mutex } from "./Mutex.ts"

const notOne =
  "This is no transaction that SQLite can join. Give a DatabaseSync of node:sqlite with an open transaction, kysely(trx) of @petstore/adapters/kysely or drizzle(tx, sql) of @petstore/adapters/drizzle."

const otherBuild =
  "The host's connection is made by another copy of SQLite. Two copies in one process cancel each other's locks on a file, which can corrupt it. Use node:sqlite for the host, or a database of its own for the petstore."

const unenforced =
  "The host's connection does not enforce references between tables. Run PRAGMA foreign_keys = ON on it before the transaction begins."

const within = "A transaction of the host cannot be joined inside another transaction of the store. Join it first."

const twoWays =
  "A call runs in this transaction through a bridge. Give all calls of a transaction the connection, or all of them the bridge to it, and await each."

const misuse = (message: string): Exit.Exit<never> => Exit.die(new TypeError(message))

const identityOfConnection = (connection: Connection<HostDatabase>): Identity | undefined => {
  const row = connection.prepare(identify).get()
  return row === undefined ? undefined : identityOf(row)
}

/** A connection if it checks references now; undefined where it was closed since its statements were prepared. */
const checkReferences = (connection: Connection<HostDatabase>): Connection<HostDatabase> | string | undefined => {
  try {
    return connection.prepare("PRAGMA foreign_keys").get()?.foreign_keys === 1 ? connection : unenforced
  } catch {
    return undefined
  }
}

interface MutexMap<Key> {
  get(key: Key): Mutex | undefined
  set(key: Key, mutex: Mutex): unknown
}

const transactionMutexes = new WeakMap<object, Mutex>()
const writerMutexes = new Map<string, Mutex>()

const mutexOf = <Key>(mutexes: MutexMap<Key>, key: Key): Mutex => {
  const known = mutexes.get(key)
  if (known !== undefined) return known
  const mutex = new Mutex()
  mutexes.set(key, mutex)
  return mutex
}

/** Milliseconds to wait for a library at least. */
const leastTimeout = 100

/** Runs bodies inside transactions that the host has open on connections of its own. */
export class HostTransactions {
  private readonly sql: SqliteSql
  private readonly file: string
  private readonly lockTimeout: number
  /** A connection of the engine, by which it knows the database and its tables. */
  private readonly own: Connection
  private readonly columns: ColumnNames
  /** The transactions of libraries that are known to be of this database. */
  private readonly known = new WeakSet<object>()
  private readonly connections = new WeakMap<HostDatabase, Connection<HostDatabase>>()
  private build: string | undefined
  private closed = false

  /** `file`: the real path of the store's. `lockTimeout`: how many milliseconds a call waits for a library of the host. */
  constructor(sql: SqliteSql, own: Connection, file: string, lockTimeout: number) {
    this.sql = sql
    this.own = own
    this.columns = new ColumnNames(own)
    this.file = file
    this.lockTimeout = lockTimeout
  }

  /** See {@link Storage.join}. */
  readonly join = <A, E, R>(
    transaction: HostTransaction,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError, Exclude<R, Transaction>> =>
    Effect.contextWith((context: Context.Context<Exclude<R, Transaction>>): Effect.Effect<A, E | StorageError> => {
      if (this.closed) return Exit.fail(new ShuttingDown({}))
      if (this.sql.transactions.find(context) !== undefined) return misuse(within)
      if (typeof transaction !== "object" || transaction === null) return misuse(notOne)
      if (isHostDatabase(transaction)) return this.joinConnection(transaction, context, body)
      return isSqlTransaction(transaction) ? this.joinBridge(transaction, context, body) : misuse(notOne)
    })

  /** From now on there is none to join. */
  readonly close: Effect.Effect<void> = Effect.sync(() => {
    this.closed = true
  })

  /** The body runs to its end in this very turn of the event loop, so nothing of the host comes in between. */
  private joinConnection<A, E, R>(
    given: HostDatabase,
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E | StorageError> {
    const database = connectionGiven(given)
    if (typeof database === "string") return misuse(database)
    if (!database.isOpen || !database.isTransaction) return misuse(notOpen)
    const connection = this.connectionTo(database)
    if (typeof connection === "string") return misuse(connection)
    if (connection.prepare("SELECT 1 FROM petstore_host_calls LIMIT 1").get() !== undefined) return misuse(twoWays)
    const open = new ConnectionTransaction(connection, this.sql.transactions)
    const exit = open.run(context, body)
    return open.lost === undefined ? exit : Exit.fail(open.lost)
  }

  /** Statements may take time, so that the host may do anything in between. */
  private joinBridge<A, E, R>(
    transaction: SqlTransaction,
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    const call = new BridgedCall({
      // A library is waited for, however short the time for locks is.
      connection: new LibraryConnection(transaction, this.columns, Math.max(this.lockTimeout, leastTimeout)),
      known: this.known,
      identity: transaction.identity,
      own: this.own,
      transactions: this.sql.transactions,
      lockTimeout: this.lockTimeout,
      transactionMutex: mutexOf(transactionMutexes, transaction.identity),
      // Not of the transaction alone: a library may have several objects for one.
      writerMutex: mutexOf(writerMutexes, this.file),
      problemOf: (row) => this.problemOf(row === undefined ? undefined : identityOf(row))
    })
    return call.run(context, body)
  }

  /** A connection that is known to be to this database, or what is wrong with it. */
  private connectionTo(database: HostDatabase): Connection<HostDatabase> | string {
    const known = this.connections.get(database)
    const checked = known === undefined ? undefined : checkReferences(known)
    if (checked !== undefined) return checked
    const explain = (cause: unknown): StorageError => hostError(cause, !database.isTransaction)
    const connection = new Connection(database, { explain, prefix: this.own.prefix })
    const problem = this.problemOf(identityOfConnection(connection))
    if (problem !== undefined) return problem
    this.connections.set(database, connection)
    return checkReferences(connection) ?? notOpen
  }

  private problemOf(identity: Identity | undefined): string | undefined {
    if (identity === undefined) return notOne
    this.build ??= identityOfConnection(this.own)?.build
    if (identity.build !== this.build) return otherBuild
    if (identity.file !== this.file) {
      const place = identity.file === "" ? "a database in memory" : identity.file
      return `The transaction is of another database: it is of ${place}, and the petstore is in ${this.file}.`
    }
    return identity.foreignKeys ? undefined : unenforced
  }
}
