import type { FailureOf, Yielded } from "@petstore/core/kernel"
import type { Asker, BeginCommand, StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import { invalidUse, JoinedTransactions, otherDatabase } from "../../sql/JoinedTransactions.ts"
import { isSqlTransaction, type SqlTransaction } from "../../sql/SqlTransaction.ts"
import { ConnectionTransaction } from "../commit/ConnectionTransaction.ts"
import { Connection } from "../connection/Connection.ts"
import { type Identity, identify, identityOf } from "../connection/connectionIdentity.ts"
import { callThrough } from "./HostCall.ts"
import { type HostDatabase, isHostDatabase } from "./HostDatabase.ts"
import { hostError, notOpen } from "./hostErrors.ts"
import { connectionGiven } from "./hostTransaction.ts"

const notOne =
  "SQLite cannot join this transaction. Pass a DatabaseSync of node:sqlite with an open transaction, kysely(trx) of @petstore/adapters/kysely or drizzle(tx, sql) of @petstore/adapters/drizzle."

const otherBuild =
  "The connection belongs to another copy of SQLite. Two copies in one process cancel each other's locks on a file, which can corrupt it. Use node:sqlite in your app, or a separate database for the petstore."

const unenforced =
  "The connection does not enforce references between tables. Run PRAGMA foreign_keys = ON on it before the transaction begins."

const identityOfConnection = (connection: Connection<HostDatabase>): Identity | undefined => {
  const row = connection.prepare(identify).get()
  return row === undefined ? undefined : identityOf(row)
}

/** A connection if it enforces references, else an error message; undefined if it was closed since it was prepared. */
const checkReferences = (connection: Connection<HostDatabase>): Connection<HostDatabase> | string | undefined => {
  try {
    return connection.prepare("PRAGMA foreign_keys").get()?.foreign_keys === 1 ? connection : unenforced
  } catch {
    return undefined
  }
}

/** Milliseconds to wait for a library at least. */
const leastTimeoutMillis = 100

/** Runs commands inside transactions that the host application has open. */
export class HostTransactions extends JoinedTransactions<HostDatabase | SqlTransaction> {
  private readonly file: string
  private readonly timeout: number
  /** A connection of the petstore to the same database. */
  private readonly own: Connection
  private readonly connections = new WeakMap<HostDatabase, Connection<HostDatabase>>()
  private build: string | undefined

  /** `file`: the real path of the database. `lockTimeout`: milliseconds that a call waits for others, and for a library. */
  constructor(own: Connection, file: string, lockTimeout: number) {
    super()
    this.own = own
    this.file = file
    // Calls wait for a library even if the time for locks is short.
    this.timeout = Math.max(lockTimeout, leastTimeoutMillis)
  }

  protected find(given: unknown): HostDatabase | SqlTransaction | string {
    if (typeof given !== "object" || given === null) return notOne
    if (isSqlTransaction(given)) return given
    return isHostDatabase(given) ? connectionGiven(given) : notOne
  }

  protected run<Y extends Yielded, A>(
    transaction: HostDatabase | SqlTransaction,
    begin: BeginCommand<Y, A>,
    asker: Asker
  ): Effect.Effect<A, FailureOf<Y> | StorageError> {
    return isSqlTransaction(transaction)
      ? callThrough(transaction, this.timeout, (database) => this.runOn(database, begin, asker))
      : this.runOn(transaction, begin, asker)
  }

  /** Runs the command within this turn of the event loop, so that no other code uses the connection meanwhile. */
  private runOn<Y extends Yielded, A>(
    database: HostDatabase,
    begin: BeginCommand<Y, A>,
    asker: Asker
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    if (!database.isOpen || !database.isTransaction) return invalidUse(notOpen)
    const connection = this.connectionTo(database)
    return typeof connection === "string"
      ? invalidUse(connection)
      : new ConnectionTransaction(connection).runAlone(begin, asker)
  }

  /** A connection that is known to be of this database, or an error message. */
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
      return otherDatabase(identity.file === "" ? "a database in memory" : identity.file, this.file)
    }
    return identity.foreignKeys ? undefined : unenforced
  }
}
