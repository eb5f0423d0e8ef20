import { resolve } from "node:path"
import * as Sql from "@petstore/adapters/sql"
import * as Toolkit from "@petstore/core/adapter-toolkit"
import * as Ports from "@petstore/core/ports"
import { Effect, Layer, type Scope } from "effect"

type Bound = string | number | Uint8Array | null

interface Prepared {
  /** Whether it returns rows. */
  readonly reader: boolean
  readonly all: (...values: ReadonlyArray<Bound>) => ReadonlyArray<unknown>
  readonly run: (...values: ReadonlyArray<Bound>) => unknown
}

/** What is used of a connection of better-sqlite3. */
export interface Connection {
  readonly inTransaction: boolean
  readonly prepare: (sql: string) => Prepared
  readonly exec: (sql: string) => unknown
  readonly close: () => unknown
}

const boundOf = (value: Sql.Value): Bound => (typeof value === "boolean" ? Number(value) : (value ?? null))

const version = new Sql.Asked(Sql.first("PRAGMA data_version", (row) => Object.values(Object(row))[0]))

/** "PETY", which identifies a file of this adapter. If `sqliteTables` changes, migrate and renumber. */
const applicationId = 0x50455459

/** One connection to a file, and how its transactions run. */
export class SqlDatabase extends Toolkit.SynchronousDatabase {
  readonly connection: Connection
  /** Ids that later transactions write, and those of the transaction that is open. */
  readonly reserved: Sql.ReservedIds = new Map()
  private taken: Sql.ReservedIds = new Map()
  private readonly prepared = new Map<string, Prepared>()
  override readonly errorOf = Sql.sqliteError
  override readonly probe = () => this.now(Sql.sqliteWriteCheck())
  override readonly commits = new Toolkit.CommitNotifier({ read: () => this.now(version), errorOf: Sql.sqliteError })

  constructor(connection: Connection) {
    super()
    this.connection = connection
    try {
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
      this.transaction(() => connection.exec(this.now(Sql.sqliteSetup(applicationId)) ?? ""))
    } catch (thrown) {
      connection.close()
      throw thrown
    }
  }

  /** Runs a program of statements. */
  readonly now = <A>(program: Sql.Program<A>): A => Sql.runNow(program, this.answer)

  override transaction<A>(work: () => A): A {
    this.taken = new Map(this.reserved)
    return this.within("BEGIN IMMEDIATE", work)
  }

  /** All reads of a snapshot are in one transaction, so that another process changes nothing meanwhile. */
  override during<A>(activity: typeof this.activity, body: () => A): A {
    const run = (): A => super.during(activity, body)
    return activity === "reading" && this.activity === "none" ? this.within("BEGIN", run) : run()
  }

  private within<A>(begin: string, work: () => A): A {
    const { connection } = this
    connection.exec(begin)
    try {
      const value = work()
      try {
        connection.exec("COMMIT")
      } catch (cause) {
        throw Sql.sqliteCommitError(cause)
      }
      return value
    } finally {
      if (connection.inTransaction) connection.exec("ROLLBACK")
    }
  }

  private readonly answer = (request: Sql.AnyRequest): unknown => {
    if (!(request instanceof Sql.Asked)) return this.now(Sql.sqliteStatements(request, this.taken))
    const { statement, values } = request
    const prepared = this.prepared.get(statement.sql) ?? this.connection.prepare(statement.sql)
    this.prepared.set(statement.sql, prepared)
    const bound = values.map(boundOf)
    if (prepared.reader) return statement.decode(prepared.all(...bound) as ReadonlyArray<Sql.StoredRow>)
    return void prepared.run(...bound)
  }
}

const events = new Sql.EventStatements()
const commandStatements = new Sql.CommandStatements(Sql.sqliteRanges, events)

/** A store on an open database, until the scope closes. */
export const openStore = (database: SqlDatabase): Effect.Effect<Ports.Storage["Service"], never, Scope.Scope> =>
  Effect.map(Toolkit.SynchronousConnection.open(database), (connection) => {
    const { now, reserved } = database
    const sql: Sql.Sql = { read: (program) => connection.read(() => now(program())) }
    return {
      ...connection.operations,
      run: connection.runCommands(
        () => commandStatements.source(now),
        (writes) => now(commandStatements.write(writes))
      ),
      reserve: (table, count) => sql.read(() => Sql.reserveIds(table, count, reserved)),
      inspect: sql.read(Sql.sqliteProblems),
      backup: (file) => sql.read(() => new Sql.Asked(Sql.run("VACUUM INTO ?"), [resolve(file)])),
      restore: Sql.restore(sql, (program) => connection.transact(() => now(program())), {}),
      ...Sql.rows(sql, Sql.sqliteRanges, events.rows(sql))
    }
  })

/**
 * Keeps petstores in SQLite files on a driver whose calls are synchronous. Several stores and processes may share a file.
 *
 * `open`: opens a file, such as `(file) => new Database(file)` with better-sqlite3.
 */
export const synchronousSql = (open: (file: string) => Connection): ((file: string) => Ports.StorageAdapter) => {
  const databaseOf = Toolkit.sharedDatabase({
    open: (file) => Effect.try({ try: () => new SqlDatabase(open(file)), catch: Sql.sqliteError }),
    close: async ({ connection }) => void connection.close()
  })
  return (file) => ({
    name: "synchronous-sql",
    layer: Layer.effect(Ports.Storage, Effect.flatMap(databaseOf(resolve(file)), openStore))
  })
}
