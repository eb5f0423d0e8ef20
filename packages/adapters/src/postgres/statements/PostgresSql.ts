import { OpenTransactions } from "@petstore/core/adapter-toolkit"
import type { StorageError, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { insertionOf, type RowTarget } from "../../sql/RowTarget.ts"
import type { Query, Sql, Value } from "../../sql/Sql.ts"
import type { Parameter, Result } from "../connection/PostgresConnection.ts"
import { claimOf } from "./claimOf.ts"
import { columnTypes, translated } from "./dialect.ts"
import { mergeRanges } from "./mergeRanges.ts"
import type { Snapshot } from "./Snapshot.ts"
import type { PostgresTransaction, Statement, StatementRunner } from "./Statement.ts"

/** A snapshot that a fiber reads from, and that of another store around it. */
interface SnapshotOfStore {
  readonly store: object
  readonly snapshot: Snapshot
  readonly outer: SnapshotOfStore | undefined
}

export class CurrentSnapshot extends Context.Service<CurrentSnapshot, SnapshotOfStore>()(
  "@petstore/adapters/postgres/CurrentSnapshot"
) {}

/** The positions of lists may be below or above every id, which `bigint` has no value for. */
const largest = "9223372036854775807"

const toInput = (value: Value): Parameter => {
  if (value === undefined) return null
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value
  if (Math.abs(value) < 2 ** 63) return Math.floor(value)
  return value > 0 ? largest : `-${largest}`
}

/** Converts values to those that PostgreSQL accepts. */
export const bind = (values: ReadonlyArray<Value>): Array<Parameter> => values.map(toInput)

/** Runs each statement of a store where its fiber is: in the open transaction, else in the snapshot, else on its own. */
export class PostgresSql implements Sql {
  readonly transactions = new OpenTransactions<PostgresTransaction>()
  private readonly schema: string
  private readonly pool: StatementRunner

  constructor(schema: string, pool: StatementRunner) {
    this.schema = schema
    this.pool = pool
  }

  /** The snapshot of this store that a fiber reads from. */
  snapshot(context: Context.Context<never>): Snapshot | undefined {
    let current = Context.getOrUndefined(context, CurrentSnapshot)
    while (current !== undefined && current.store !== this.transactions.store) current = current.outer
    return current?.snapshot
  }

  /** Where a statement of this fiber that reads runs. */
  runner(context: Context.Context<never>): StatementRunner {
    return this.transactions.find(context) ?? this.snapshot(context) ?? this.pool
  }

  /** Prepares a statement of the folder `sql`. */
  statement<A>(sql: string, use: Statement<A>["use"], decode: Statement<A>["decode"], end = ""): Statement<A> {
    return { sql, text: `${translated(this.schema, sql)}${end}`, use, decode }
  }

  readonly first: Sql["first"] = (sql, decode) => this.reading(this.statement(sql, "read", firstRow(decode)))
  readonly all: Sql["all"] = (sql, decode) =>
    this.reading({ ...this.statement(sql, "read", allRows(decode)), isList: true })
  readonly merge: Sql["merge"] = mergeRanges
  // Rows that refer to a locked one may still be added: nothing that they refer to changes.
  readonly lock: Sql["lock"] = (sql, decode) =>
    this.writing(this.statement(sql, "lock", firstRow(decode), " FOR NO KEY UPDATE"))
  readonly lockShared: Sql["lockShared"] = (sql, decode) =>
    this.writing(this.statement(sql, "lock", firstRow(decode), " FOR SHARE"))
  readonly runOwn: Sql["runOwn"] = (sql) => this.run(sql)
  readonly lockFree: Sql["lockFree"] = (sql, decode) =>
    this.writing({
      ...this.statement(sql, "lock", allRows(decode), " FOR NO KEY UPDATE SKIP LOCKED"),
      isList: true
    })
  readonly run: Sql["run"] = (sql) => this.writing(this.statement(sql, "write", () => undefined))
  readonly tryRun: Sql["tryRun"] = (sql) =>
    this.writing({ ...this.statement(sql, "write", ({ count }) => count > 0), isConditional: true })
  // In one statement, which takes an array for each column.
  readonly insertAll: Sql["insertAll"] = ({ columns, end = "", generatesIds, table }) => {
    const textOf = (all: RowTarget["columns"]) =>
      `INSERT INTO ${table} (${all.map(({ name }) => name).join(", ")}) SELECT * FROM ${arraysOf(all)}${end}`
    const withIds = textOf([{ name: "id", type: "integer" }, ...columns])
    const statement = {
      ...this.statement(textOf(columns), "write", () => undefined),
      ...(generatesIds === true ? { textWithIds: translated(this.schema, withIds) } : {})
    }
    return (rows) => this.writeArrays(statement, columns, rows)
  }
  readonly removeAll: Sql["removeAll"] = ({ columns, table }, one) => {
    const removeOne = this.run(one)
    const [first] = columns
    // The first column is looked for in its array too: a plan that joins may read all of the table.
    const wanted = `${first?.name} = ANY(?::${columnTypes[first?.type ?? "text"]}[])`
    const keys = columns.map(({ name }) => name).join(", ")
    const all = columns.length === 1 ? "" : ` AND (${keys}) IN (SELECT * FROM ${arraysOf(columns)})`
    const removeMany = this.statement(`DELETE FROM ${table} WHERE ${wanted}${all}`, "write", () => undefined)
    const arrays = first === undefined || columns.length === 1 ? columns : [first, ...columns]
    return (rows) => {
      const [key] = rows
      if (key === undefined) return Effect.void
      if (rows.length === 1) return removeOne(...key)
      const repeated = columns.length === 1 ? rows : rows.map((row) => [row[0], ...row])
      return this.writeArrays(removeMany, arrays, repeated)
    }
  }
  // One by one: commands add few rows to these tables, and groups of transactions have statements of their own.
  readonly insertMany: Sql["insertMany"] = (target) => {
    const insertOne = this.writing(
      this.statement(insertionOf(target), "write", ({ rows }) => Number(rows[0]?.id), " RETURNING id")
    )
    return (rows) => Effect.forEach(rows, (values) => insertOne(...values))
  }
  readonly tryInsert: Sql["tryInsert"] = (sql) =>
    this.writing({
      ...this.statement(
        sql,
        "write",
        ({ rows: [row] }) => (row === undefined ? undefined : Number(row.id)),
        " RETURNING id"
      ),
      isConditional: true
    })
  readonly isInTransaction: Sql["isInTransaction"] = Effect.withFiber(({ context }) =>
    Effect.succeed(this.transactions.find(context) !== undefined)
  )
  readonly claim: Sql["claim"] =
    (name) =>
    (...values) =>
      Effect.withFiber(({ context }) => this.transactions.require(context).claim(claimOf(this.schema, name, values)))

  private writeArrays(
    statement: Statement<undefined>,
    columns: RowTarget["columns"],
    rows: ReadonlyArray<ReadonlyArray<Value>>
  ): Effect.Effect<undefined, StorageError, Transaction> {
    return Effect.withFiber(({ context }) =>
      this.transactions.require(context).execute(
        statement,
        columns.map((_, column) => rows.map((row) => row[column] ?? null))
      )
    )
  }

  private reading<A>(statement: Statement<A>): Query<A> {
    return (...values) => {
      const bound = bind(values)
      return Effect.withFiber<A, StorageError>(({ context }) => this.runner(context).execute(statement, bound))
    }
  }

  private writing<A>(statement: Statement<A>): Query<A, Transaction> {
    return (...values) => {
      const bound = bind(values)
      return Effect.withFiber<A, StorageError, Transaction>(({ context }) =>
        this.transactions.require(context).execute(statement, bound)
      )
    }
  }
}

/** The rows of arrays, one for each column. */
const arraysOf = (columns: RowTarget["columns"]): string =>
  `unnest(${columns.map(({ type }) => `?::${columnTypes[type]}[]`).join(", ")})`

// The columns have the types of the schema, so a row has the types of its statement.
const firstRow =
  <Of, A>(decode: (row: Of) => A) =>
  ({ rows: [row] }: Result): A | undefined =>
    row === undefined ? undefined : decode(row as Of)

const allRows =
  <Of, A>(decode: (row: Of) => A) =>
  ({ rows }: Result): ReadonlyArray<A> =>
    rows.map((row) => decode(row as Of))
