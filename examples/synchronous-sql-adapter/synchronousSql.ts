import { resolve } from "node:path"
import * as Sql from "@petstore/adapters/sql"
import * as Toolkit from "@petstore/core/adapter-toolkit"
import * as Domain from "@petstore/core/domain"
import * as Ports from "@petstore/core/ports"
import { Cause, Effect, Exit, Layer, type Scope } from "effect"

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

/** The storage error for something that the driver threw. */
const errorOf = (thrown: unknown): Ports.StorageError => {
  // A program fails by an exit.
  const cause = Exit.isExit(thrown) && Exit.isFailure(thrown) ? Cause.squash(thrown.cause) : thrown
  if (cause instanceof Error && "_tag" in cause) return cause as Ports.StorageError
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  if (code.startsWith("SQLITE_BUSY")) return new Domain.StorageBusy({}, { cause })
  if (code === "SQLITE_FULL") return new Domain.StorageFull({}, { cause })
  return /^SQLITE_(CANTOPEN|CORRUPT|IOERR|NOTADB|READONLY)/.test(code)
    ? new Domain.StorageUnavailable({}, { cause })
    : new Domain.InternalError({}, { cause })
}

const boundOf = (value: Sql.Value): Bound => (typeof value === "boolean" ? Number(value) : (value ?? null))

const saveCheck = Sql.run(`INSERT INTO petstore_write_check (id, checked_at) VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at`)
const contents = new Sql.Asked(
  Sql.first(
    "SELECT application_id AS owner, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id",
    (row: { readonly owner: number; readonly tables: number }) => row
  )
)
const version = new Sql.Asked(Sql.first("PRAGMA data_version", (row) => Object.values(Object(row))[0]))
const problems = new Sql.Asked(
  Sql.all(
    `SELECT integrity_check AS problem FROM pragma_integrity_check WHERE integrity_check <> 'ok'
    UNION ALL SELECT 'row ' || rowid || ' of ' || "table" || ' refers to none' FROM pragma_foreign_key_check`,
    ({ problem }: { readonly problem: string }) => problem
  )
)

/** "PETY", which identifies a file of this adapter. If `sqliteTables` changes, migrate and renumber. */
const applicationId = 0x50455459

/** One connection to a file, and how its transactions run. */
export class SqlDatabase extends Toolkit.SynchronousDatabase {
  readonly connection: Connection
  /** Ids that later transactions write, and those of the transaction that is open. */
  readonly reserved: Sql.ReservedIds = new Map()
  private taken: Sql.ReservedIds = new Map()
  private readonly prepared = new Map<string, Prepared>()
  override readonly errorOf = errorOf
  override readonly probe = () => this.now(new Sql.Asked(saveCheck, [new Date().toISOString()]))
  override readonly commits = new Toolkit.CommitNotifier({ read: () => this.now(version), errorOf })

  constructor(connection: Connection) {
    super()
    this.connection = connection
    try {
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
      this.transaction(() => this.create())
    } catch (cause) {
      connection.close()
      throw cause
    }
  }

  private create(): void {
    const found = this.now(contents)
    if (found?.tables === 0) {
      this.connection.exec(`${Sql.sqliteTables}; PRAGMA application_id = ${applicationId}`)
    } else if (found?.owner !== applicationId) throw new Error("It belongs to another program. Name a new file.")
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
      this.commit()
      return value
    } finally {
      if (connection.inTransaction) connection.exec("ROLLBACK")
    }
  }

  /** If the disk fails meanwhile, nobody knows what has reached it. */
  private commit(): void {
    try {
      this.connection.exec("COMMIT")
    } catch (cause) {
      const error = errorOf(cause)
      throw error instanceof Domain.StorageUnavailable ? new Domain.CommitUnknown({}, { cause }) : error
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
const openRows = new Sql.OpenRows(Sql.sqliteRanges, events)

/** A store on an open database, until the scope closes. */
export const openStore = (database: SqlDatabase): Effect.Effect<Ports.Storage["Service"], never, Scope.Scope> =>
  Effect.map(Toolkit.SynchronousConnection.open(database), (connection) => {
    const { now, reserved } = database
    const sql: Sql.Sql = { read: (program) => connection.read(() => now(program())) }
    return {
      ...connection.operations,
      run: connection.runCommands(
        () => openRows.source(now),
        (writes) => now(openRows.write(writes))
      ),
      reserve: (table, count) => sql.read(() => Sql.reserveIds(table, count, reserved)),
      inspect: sql.read(() => problems),
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
    open: (file) => new SqlDatabase(open(file)),
    close: async ({ connection }) => void connection.close()
  })
  return (file) => ({
    name: "synchronous-sql",
    layer: Layer.effect(Ports.Storage, Effect.flatMap(databaseOf(resolve(file)), openStore))
  })
}
