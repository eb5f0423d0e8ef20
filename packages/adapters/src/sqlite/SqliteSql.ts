import type { StorageError } from "@petstore/core/ports"
import { type Context, Effect } from "effect"
import type { Query, Sql } from "../sql/Sql.ts"
import { bind } from "./Connection.ts"
import type { Read, Session } from "./Session.ts"
import type { Sessions } from "./Sessions.ts"

type Find = (context: Context.Context<never>) => Session

const query =
  <A, R>(find: Find, sql: string, read: Read<A>): Query<A, R> =>
  (...values) => {
    const bound = bind(values)
    return Effect.withFiber<A, StorageError, R>((fiber) => find(fiber.context).execute(sql, bound, read))
  }

// The tables are STRICT, so a row is what its statement says.
const first =
  <Row, A>(decode: (row: Row) => A): Read<A | undefined> =>
  (statement, values) => {
    const row = statement.get(...values)
    return row === undefined ? undefined : decode(row as Row)
  }

// Never `iterate`: a cursor that is left open pins an old snapshot.
const all =
  <Row, A>(decode: (row: Row) => A): Read<ReadonlyArray<A>> =>
  (statement, values) =>
    statement.all(...values).map((row) => decode(row as Row))

const run: Read<void> = (statement, values) => {
  statement.run(...values)
}

const change: Read<number> = (statement, values) => Number(statement.run(...values).changes)

const insert: Read<number> = (statement, values) => Number(statement.run(...values).lastInsertRowid)

const tryInsert: Read<number | undefined> = (statement, values) => {
  const { changes, lastInsertRowid } = statement.run(...values)
  return Number(changes) === 0 ? undefined : Number(lastInsertRowid)
}

/** Runs statements on the connections of a file. There is one writer, so a row that is read by it is locked. */
export const sqliteSql = (sessions: Sessions): Sql => {
  const toRead: Find = (context) => sessions.toRead(context)
  const toWrite: Find = (context) => sessions.toWrite(context)
  return {
    first: (statement, decode) => query(toRead, statement, first(decode)),
    all: (statement, decode) => query(toRead, statement, all(decode)),
    lock: (statement, decode) => query(toWrite, statement, first(decode)),
    lockShared: (statement, decode) => query(toWrite, statement, first(decode)),
    run: (statement) => query(toWrite, statement, run),
    change: (statement) => query(toWrite, statement, change),
    insert: (statement) => query(toWrite, statement, insert),
    tryInsert: (statement) => query(toWrite, statement, tryInsert)
  }
}
