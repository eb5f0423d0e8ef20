import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { insertionOf, type RowTarget } from "../../sql/RowTarget.ts"
import type { Conflict } from "../../sql/Sql.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { PreparedStatement, Row } from "./PreparedStatement.ts"
import { type RowChange, rowChangeOf } from "./RowChange.ts"

/** A call in a transaction of another library, which reads at once and defers its writes. */
export interface DeferredWrites {
  readonly read: (sql: string, values: ReadonlyArray<SqlValue>) => Effect.Effect<ReadonlyArray<Row>, StorageError>
  /** Reads rows that no other connection can change until the transaction ends. */
  readonly lock: (sql: string, values: ReadonlyArray<SqlValue>) => Effect.Effect<ReadonlyArray<Row>, StorageError>
  readonly write: (change: RowChange, values: ReadonlyArray<SqlValue>) => Effect.Effect<void, StorageError>
  /** Returns the id of the new row. */
  readonly insert: (change: RowChange, values: ReadonlyArray<SqlValue>) => Effect.Effect<number, StorageError>
}

/** A statement of the store, and how its result is read. */
export interface Statement<A> {
  readonly sql: string
  /** Present if it writes. */
  readonly writes?: {
    /** The name of the table before any prefix. */
    readonly table: string
    /** Whether it has written, as its result shows. */
    readonly done: (result: A) => boolean
  }
  /** Runs it on a connection. */
  readonly execute: (statement: PreparedStatement, values: ReadonlyArray<SqlValue>) => A
  /** Does the same in a transaction of another library. */
  readonly defer: (call: DeferredWrites, values: ReadonlyArray<SqlValue>) => Effect.Effect<A, StorageError>
}

/** Runs statements: a connection, a snapshot or a transaction. */
export interface StatementRunner {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<SqlValue>): Effect.Effect<A, StorageError>
}

/** An open transaction. */
export interface SqliteTransaction extends StatementRunner {
  /** Runs a body as a part of the transaction that fails alone. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError>
  /** Runs a body as a part of the transaction that need not be rolled back alone: see `FailsWithParts`. */
  runIncluded<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError>
}

const always = (): boolean => true

const tableOf = (sql: string): string => /petstore_\w+/.exec(sql)?.[0] ?? ""

// The tables are STRICT, so a row has the types of its statement.
export const first = <Of, A>(sql: string, decode: (row: Of) => A, use: "read" | "lock"): Statement<A | undefined> => {
  const read = (row: Row | undefined) => (row === undefined ? undefined : decode(row as Of))
  return {
    sql,
    execute: (statement, values) => read(statement.first(values)),
    defer: (call, values) => Effect.map(call[use](sql, values), ([row]) => read(row))
  }
}

// Never `iterate`: a cursor that is left open pins an old snapshot.
export const all = <Of, A>(sql: string, decode: (row: Of) => A): Statement<ReadonlyArray<A>> => {
  const read = (row: Row) => decode(row as Of)
  return {
    sql,
    execute: (statement, values) => statement.all(values, read),
    defer: (call, values) => Effect.map(call.read(sql, values), (rows) => rows.map(read))
  }
}

export const run = (sql: string): Statement<void> => {
  const change = rowChangeOf(sql)
  return {
    sql,
    writes: { table: tableOf(sql), done: always },
    execute: (statement, values) => statement.write(values),
    defer: (call, values) => call.write(change, values)
  }
}

const notDeferred = () =>
  Effect.die(new TypeError("This cannot be done in a transaction of your app: call it without one."))

export const runOwn = (sql: string): Statement<void> => ({
  sql,
  writes: { table: tableOf(sql), done: always },
  execute: (statement, values) => statement.write(values),
  defer: notDeferred
})

/** Adds so many rows of a table in one step, in transactions of the store alone. Returns the number of the last one. */
export const insertOwn = (target: RowTarget, count: number): Statement<number> => ({
  sql: insertionOf(target, count),
  writes: { table: target.table, done: always },
  execute: (statement, values) => Number(statement.run(values).lastInsertRowid),
  defer: notDeferred
})

/** Does something in a call unless a row exists that it conflicts with. */
const unless =
  <A>({ places, statement }: Conflict, conflicting: A, act: Statement<A>["defer"]): Statement<A>["defer"] =>
  (call, values) =>
    Effect.flatMap(
      call.lock(
        statement,
        places.map((place) => values[place] ?? null)
      ),
      ([row]) => (row === undefined ? act(call, values) : Effect.succeed(conflicting))
    )

export const tryRun = (sql: string, conflict: Conflict): Statement<boolean> => {
  const change = rowChangeOf(sql)
  return {
    sql,
    writes: { table: tableOf(sql), done: (did) => did },
    execute: (statement, values) => Number(statement.run(values).changes) > 0,
    defer: unless(conflict, false, (call, values) => Effect.as(call.write(change, values), true))
  }
}

export const insert = (sql: string): Statement<number> => {
  const change = rowChangeOf(sql)
  return {
    sql,
    writes: { table: tableOf(sql), done: always },
    execute: (statement, values) => Number(statement.run(values).lastInsertRowid),
    defer: (call, values) => call.insert(change, values)
  }
}

/** The values of each row, from those of all rows one after another. */
const eachRow = ({ columns: { length } }: RowTarget, values: ReadonlyArray<SqlValue>) =>
  Array.from({ length: values.length / length }, (_, index) => values.slice(index * length, (index + 1) * length))

/** Adds so many rows of a table in one step, which takes half as long as one by one. The values of the rows come one after another. */
export const insertRows = (target: RowTarget, count: number): Statement<void> => {
  const change = rowChangeOf(insertionOf(target))
  // A call in a transaction of a library must know the ids, so that its later statements see the rows.
  const add = (call: DeferredWrites, row: ReadonlyArray<SqlValue>): Effect.Effect<unknown, StorageError> =>
    target.generatesIds === true ? call.insert(change, row) : call.write(change, row)
  return {
    sql: insertionOf(target, count),
    writes: { table: target.table, done: always },
    execute: (statement, values) => {
      statement.run(values)
    },
    defer: (call, values) => Effect.forEach(eachRow(target, values), (row) => add(call, row), { discard: true })
  }
}

export const tryInsert = (sql: string, conflict: Conflict): Statement<number | undefined> => {
  const change = rowChangeOf(sql)
  return {
    sql,
    writes: { table: tableOf(sql), done: (id) => id !== undefined },
    execute: (statement, values) => {
      const { changes, lastInsertRowid } = statement.run(values)
      return Number(changes) === 0 ? undefined : Number(lastInsertRowid)
    },
    defer: unless(conflict, undefined, (call, values) => call.insert(change, values))
  }
}

/** Divides a number of rows among statements, of which the largest come first. */
export const partsOf = <Part extends { readonly count: number }>(rows: number, statements: ReadonlyArray<Part>) => {
  const parts: Array<Part & { readonly start: number }> = []
  let start = 0
  for (const part of statements) {
    for (; rows - start >= part.count; start += part.count) parts.push({ ...part, start })
  }
  return parts
}
