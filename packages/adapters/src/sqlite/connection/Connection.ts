import process from "node:process"
import type { DatabaseSync } from "node:sqlite"
import type { StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Statement, StoredRow } from "../../sql/Program.ts"
import { compiled } from "../../sql/rowFunctions.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { Value } from "../../sql/Value.ts"
import type { HostDatabase, HostStatement } from "../host/HostDatabase.ts"
import { statementError } from "./errors.ts"

/** Runs statements outside of transactions: a connection, or a snapshot. */
export interface StatementRunner {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Value>): Effect.Effect<A, StorageError>
}

/** The SQLite module of this runtime, loaded on first use. Throws if there is none. */
export const nodeSqlite = (): typeof import("node:sqlite") => {
  const driver = process.getBuiltinModule?.("node:sqlite")
  if (driver === undefined) {
    throw new Error(
      `there is no node:sqlite in this runtime (${process.version}), or a flag has switched it off. Use Node.js 22.23 or newer.`
    )
  }
  return driver
}

/** The default prefix of the names of all tables, indexes and triggers. */
export const defaultPrefix = "petstore_"

/** Renames the tables in a statement. The default prefix appears in statements only in names. */
const withPrefix = (prefix: string, sql: string): string =>
  prefix === defaultPrefix ? sql : sql.replaceAll(defaultPrefix, prefix)

/** Whether a value is a valid prefix. */
export const isPrefix = (prefix: unknown): prefix is string =>
  typeof prefix === "string" && /^(?!sqlite_)[a-z][a-z0-9_]{0,29}$/.test(prefix)

const toInput = (value: Value): SqlValue =>
  value === undefined ? null : typeof value === "boolean" ? Number(value) : value

/** Converts values to those that SQLite accepts. */
const bind = (values: ReadonlyArray<Value>): ReadonlyArray<SqlValue> => {
  for (const value of values) if (value === undefined || typeof value === "boolean") return values.map(toInput)
  return values as ReadonlyArray<SqlValue>
}

type Values = Readonly<Record<number, unknown>>

const makers = new Map<string, (values: Values) => StoredRow>()

/** Makes a row of the values of its columns: one function for all statements that return the same, so that decoders see one shape. */
const rowMaker = (columns: ReadonlyArray<string>): ((values: Values) => StoredRow) => {
  const text = columns.map((name, place) => `${JSON.stringify(name)}: values[${place}]`).join(", ")
  let maker = makers.get(text)
  if (maker === undefined) {
    maker = compiled(`return (values) => ({ ${text} })`, {}, (values) =>
      Object.fromEntries(columns.map((name, place) => [name, values[place]]))
    )
    makers.set(text, maker)
  }
  return maker
}

/**
 * A statement of the store on one connection. Its rows come as lists of values: the objects that SQLite makes are dictionaries,
 * which take more than twice as long to make and to read.
 */
export class PreparedStatement {
  private readonly statement: HostStatement
  private readonly rowOf: (values: Values) => StoredRow

  constructor(statement: HostStatement) {
    statement.setReturnArrays(true)
    this.statement = statement
    this.rowOf = rowMaker(statement.columns().map(({ name }) => name))
  }

  /** Returns the first row; undefined also for a statement that writes. */
  first(values: ReadonlyArray<SqlValue>): StoredRow | undefined {
    const columns = this.statement.get(...values)
    return columns === undefined ? undefined : this.rowOf(columns)
  }

  // Never `iterate`: a cursor that is left open pins an old snapshot.
  all(values: ReadonlyArray<SqlValue>): ReadonlyArray<StoredRow> {
    return this.statement.all(...values).map(this.rowOf)
  }

  /** Adds rows, and returns the number of the last one. */
  insert(values: ReadonlyArray<SqlValue>): number {
    return Number(this.statement.run(...values).lastInsertRowid)
  }
}

const noRows: ReadonlyArray<StoredRow> = []

export interface ConnectionSettings {
  /** The prefix of the names of the store's tables. */
  readonly prefix?: string | undefined
  /** The storage error for what a statement on this connection throws. */
  readonly explain?: (cause: unknown) => StorageError
}

/** A connection to the file, with its prepared statements. */
export class Connection<Database extends HostDatabase = DatabaseSync> implements StatementRunner {
  readonly database: Database
  readonly prefix: string
  readonly explain: (cause: unknown) => StorageError
  private readonly prepared = new Map<string, HostStatement>()
  private readonly ofStore = new Map<string, PreparedStatement>()
  private version: HostStatement | undefined

  constructor(database: Database, { prefix = defaultPrefix, explain = statementError }: ConnectionSettings = {}) {
    this.database = database
    this.prefix = prefix
    this.explain = explain
  }

  /** Renames the tables in a statement to those of this store. */
  named(sql: string): string {
    return withPrefix(this.prefix, sql)
  }

  /** Prepares a statement, with the names of this store, on first use. A store has few statements, so all are cached. */
  prepare(sql: string): HostStatement {
    let statement = this.prepared.get(sql)
    if (statement === undefined) {
      statement = this.compile(sql)
      this.prepared.set(sql, statement)
    }
    return statement
  }

  /** Runs a statement of the store. Throws what SQLite throws. */
  perform<A>({ decode, isList, sql }: Statement<A>, values: ReadonlyArray<Value>): A {
    const statement = this.ofStore.get(sql) ?? this.prepareOfStore(sql)
    if (isList) return decode(statement.all(bind(values)))
    const row = statement.first(bind(values))
    return decode(row === undefined ? noRows : [row])
  }

  /** Adds rows, and returns the number of the last one. Throws what SQLite throws. */
  insert(sql: string, values: ReadonlyArray<Value>): number {
    return (this.ofStore.get(sql) ?? this.prepareOfStore(sql)).insert(bind(values))
  }

  /** Runs a statement of the store. */
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Value>): Exit.Exit<A, StorageError> {
    try {
      return Exit.succeed(this.perform(statement, values))
    } catch (cause) {
      return Exit.fail(this.explain(cause))
    }
  }

  /** Runs a statement that returns no rows. */
  run(sql: string): void {
    // The method `run` would make an object of what it changed.
    this.prepare(sql).get()
  }

  /** A value that changes when another connection commits. It takes no lock and reads no row. Throws what SQLite throws. */
  dataVersion(): unknown {
    if (this.version === undefined) {
      this.version = this.compile("PRAGMA data_version")
      this.version.setReturnArrays(true)
    }
    const values: Values | undefined = this.version.get()
    return values?.[0]
  }

  private prepareOfStore(sql: string): PreparedStatement {
    const statement = new PreparedStatement(this.compile(sql))
    this.ofStore.set(sql, statement)
    return statement
  }

  private compile(sql: string): HostStatement {
    // A limit that is nothing but a parameter is planned for its value: SQLite would make the plan again for each call.
    const statement = this.database.prepare(this.named(sql).replaceAll("LIMIT ?", "LIMIT ? + 0"))
    // The host application may have other defaults for its own statements.
    statement.setReadBigInts(false)
    statement.setReturnArrays(false)
    return statement
  }

  /** Whether a transaction is open. SQLite ends one by itself after some errors. */
  get inTransaction(): boolean {
    return this.database.isTransaction
  }

  /** Rolls the open transaction back, if there is one. */
  rollback(): void {
    if (this.database.isOpen && this.inTransaction) this.run("ROLLBACK")
  }
}
