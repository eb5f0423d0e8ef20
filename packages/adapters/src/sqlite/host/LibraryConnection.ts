import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlTransaction, SqlValue } from "../../sql/SqlTransaction.ts"
import type { StoredRow as Row } from "../../sql/Statement.ts"
import { now } from "../connection/busyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import { type LibraryError, StatementFailed, type WaitOptions, waitForResult } from "./waitForResult.ts"

/** A statement for another library, with the default names of tables. */
export interface LibraryStatement {
  readonly sql: string
  readonly values?: ReadonlyArray<SqlValue>
  /** The names of its columns, if the engine cannot prepare the statement on a connection of its own to find them. */
  readonly columns?: ReadonlyArray<string>
}

/** The names of the columns of statements, for libraries that return rows without names. */
export class ColumnNames {
  /** A connection of the engine. */
  readonly own: Connection
  private readonly known = new Map<string, ReadonlyArray<string>>()

  constructor(own: Connection) {
    this.own = own
  }

  of(statement: string): ReadonlyArray<string> {
    let names = this.known.get(statement)
    if (names === undefined) {
      names = this.own.database
        .prepare(statement)
        .columns()
        .map(({ name }) => name)
      this.known.set(statement, names)
    }
    return names
  }
}

/** Libraries may return numbers as bigint; those of this store are safe integers. */
const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value)

/** Runs the statements of one call in a transaction of another library. */
export class LibraryConnection {
  private readonly transaction: SqlTransaction
  private readonly columns: ColumnNames
  private readonly timeout: number
  private readonly pending = new Set<PromiseLike<unknown>>()
  private statement = ""
  private since = now()

  /** `timeout`: milliseconds to wait for the result of a statement. */
  constructor(transaction: SqlTransaction, columns: ColumnNames, timeout: number) {
    this.transaction = transaction
    this.columns = columns
    this.timeout = timeout
  }

  /** Returns the rows of a statement. */
  rows(
    { columns, sql, values = [] }: LibraryStatement,
    options?: Partial<WaitOptions>
  ): Effect.Effect<ReadonlyArray<Row>, LibraryError> {
    const statement = this.columns.own.named(sql)
    return Effect.flatMap(
      this.wait(sql, () => this.transaction.rows(statement, values), options),
      (rows): Exit.Exit<ReadonlyArray<Row>, StatementFailed> =>
        Array.isArray(rows)
          ? Exit.succeed(rows.map((row) => this.toRow(statement, row, columns)))
          : Exit.fail(new StatementFailed(new TypeError("The library returned no list of rows")))
    )
  }

  /** Runs a statement that has no rows. */
  run(sql: string): Effect.Effect<unknown, LibraryError> {
    return this.wait(sql, () => this.transaction.run(this.columns.own.named(sql), []))
  }

  /** Whether the library still runs a statement that is no longer waited for. */
  get isPending(): boolean {
    return this.pending.size > 0
  }

  /** Runs a task once the library has settled all its statements. */
  whenSettled(task: Effect.Effect<unknown>): void {
    void Promise.allSettled([...this.pending]).then(() => Effect.runPromise(task))
  }

  /** Describes the statement that runs, for calls that wait for this one. */
  describe(): string {
    const seconds = ((now() - this.since) / 1000).toFixed(1)
    return `a call in a transaction of the host application has been waiting for ${seconds} s for its library to run "${this.statement.replaceAll(/\s+/g, " ")}"`
  }

  private wait<A>(
    sql: string,
    call: () => A | PromiseLike<A>,
    options?: Partial<WaitOptions>
  ): Effect.Effect<A, LibraryError> {
    return Effect.suspend(() => {
      this.statement = sql
      this.since = now()
      return waitForResult(call, { timeout: this.timeout, ...options }, (result) => {
        const settled = (): void => {
          this.pending.delete(result)
        }
        this.pending.add(result)
        result.then(settled, settled)
      })
    })
  }

  private toRow(statement: string, row: unknown, columns: ReadonlyArray<string> | undefined): Row {
    const entries = Array.isArray(row)
      ? (columns ?? this.columns.of(statement)).map((name, index) => [name, row[index]] as const)
      : Object.entries(Object(row))
    return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]))
  }
}
