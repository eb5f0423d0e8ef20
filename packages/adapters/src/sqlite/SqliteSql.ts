import type { StorageError } from "@petstore/core/ports"
import { type Context, Effect } from "effect"
import type { Query, Sql } from "../sql/Sql.ts"
import { bind } from "./Connection.ts"
import type { Row, Statement } from "./Session.ts"
import type { Place, Sessions } from "./Sessions.ts"

type Find = (context: Context.Context<never>) => Place

const query =
  <A, R>(find: Find, statement: Statement<A>): Query<A, R> =>
  (...values) => {
    const bound = bind(values)
    return Effect.withFiber<A, StorageError, R>((fiber) => find(fiber.context).execute(statement, bound))
  }

// The tables are STRICT, so a row is what its statement says.
const first = <Of, A>(sql: string, decode: (row: Of) => A): Statement<A | undefined> => {
  const read = (row: Row | undefined) => (row === undefined ? undefined : decode(row as Of))
  return {
    sql,
    read: (statement, values) => read(statement.get(...values)),
    asRows: { suffix: "", read: ([row]) => read(row) }
  }
}

// Never `iterate`: a cursor that is left open pins an old snapshot.
const all = <Of, A>(sql: string, decode: (row: Of) => A): Statement<ReadonlyArray<A>> => {
  const read = (rows: ReadonlyArray<Row>) => rows.map((row) => decode(row as Of))
  return { sql, read: (statement, values) => read(statement.all(...values)), asRows: { suffix: "", read } }
}

const run = (sql: string): Statement<void> => ({
  sql,
  read: (statement, values) => {
    statement.run(...values)
  },
  asRows: { suffix: undefined, read: () => undefined }
})

const change = (sql: string): Statement<number> => ({
  sql,
  read: (statement, values) => Number(statement.run(...values).changes),
  asRows: { suffix: " RETURNING 1 AS changed", read: (rows) => rows.length }
})

const returningId = " RETURNING id"

const insert = (sql: string): Statement<number> => ({
  sql,
  read: (statement, values) => Number(statement.run(...values).lastInsertRowid),
  asRows: { suffix: returningId, read: ([row]) => Number(row?.id) }
})

const tryInsert = (sql: string): Statement<number | undefined> => ({
  sql,
  read: (statement, values) => {
    const { changes, lastInsertRowid } = statement.run(...values)
    return Number(changes) === 0 ? undefined : Number(lastInsertRowid)
  },
  asRows: { suffix: returningId, read: ([row]) => (row === undefined ? undefined : Number(row.id)) }
})

/** Runs statements on the connections of a file. There is one writer, so a row that is read by it is locked. */
export const sqliteSql = (sessions: Sessions): Sql => {
  const toRead: Find = (context) => sessions.toRead(context)
  const toWrite: Find = (context) => sessions.toWrite(context)
  return {
    first: (statement, decode) => query(toRead, first(statement, decode)),
    all: (statement, decode) => query(toRead, all(statement, decode)),
    lock: (statement, decode) => query(toWrite, first(statement, decode)),
    lockShared: (statement, decode) => query(toWrite, first(statement, decode)),
    run: (statement) => query(toWrite, run(statement)),
    change: (statement) => query(toWrite, change(statement)),
    insert: (statement) => query(toWrite, insert(statement)),
    tryInsert: (statement) => query(toWrite, tryInsert(statement))
  }
}
