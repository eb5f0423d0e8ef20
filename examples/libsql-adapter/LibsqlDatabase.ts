import { pathToFileURL } from "node:url"
import { type Client, createClient, type Transaction } from "@libsql/client"
import * as Sql from "@petstore/adapters/sql"
import * as Toolkit from "@petstore/core/adapter-toolkit"
import type * as Ports from "@petstore/core/ports"
import { type Effect, Exit, Semaphore } from "effect"
import { attempt, errorOf } from "./errors.ts"
import { LibsqlTransaction } from "./LibsqlTransaction.ts"

/** "PETL", which identifies a file of this adapter. If `sqliteTables` changes, migrate and renumber. */
const applicationId = 0x5045544c

/** One file: a connection that writes, those that read, and whose turn it is to write. */
export class LibsqlDatabase {
  readonly writer: Client
  readonly readers: Client
  readonly turns = Semaphore.makeUnsafe(1)
  readonly commits = new Toolkit.CommitNotifier({
    read: async () => (await this.readers.execute("SELECT max(seq) FROM petstore_events")).rows[0]?.[0],
    errorOf
  })

  readonly reserved: Sql.ReservedIds = new Map()

  private constructor(file: string) {
    const url = pathToFileURL(file).href
    this.writer = createClient({ url, concurrency: 1, timeout: 0 })
    this.readers = createClient({ url, timeout: 0 })
  }

  /** Opens a file, and creates the tables if it is empty. */
  static readonly open = (file: string): Effect.Effect<LibsqlDatabase, Ports.StorageError> =>
    attempt(async () => {
      const database = new LibsqlDatabase(file)
      try {
        await database.create()
        return database
      } catch (cause) {
        database.close()
        throw cause
      }
    })

  /** Begins a transaction that writes. A BEGIN that fails stays open in the driver, so its connection must go. */
  readonly begin = (): Promise<Transaction> =>
    this.writer.transaction("write").catch((cause) => {
      this.writer.reconnect()
      throw cause
    })

  readonly close = (): void => {
    for (const client of [this.readers, this.writer]) client.close()
  }

  private async create(): Promise<void> {
    // Readers then do not wait for the writer. Each commit is synced: `synchronous` is FULL by default.
    await this.writer.execute("PRAGMA journal_mode = WAL")
    const transaction = await this.begin()
    try {
      const setup = await new LibsqlTransaction(this, transaction).ask(Sql.sqliteSetup(applicationId))
      if (Exit.isFailure(setup)) throw setup
      if (setup.value !== undefined) await transaction.executeMultiple(setup.value)
      await transaction.commit()
    } finally {
      transaction.close()
    }
  }
}
