import type { StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Conflict, Query, Sql } from "../../sql/Sql.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import { bind } from "../connection/Connection.ts"
import type { BridgedCall } from "../host/BridgedCall.ts"
import { writeOf } from "../host/Write.ts"
import type { Row, Statement } from "./Session.ts"
import type { Place, Sessions } from "./Sessions.ts"

/** How a call in a transaction of the host looks at a row: whether nobody else may change it until the transaction ends. */
type Use = "read" | "lock"

type Find = (context: Context.Context<never>) => Place

const query =
  <A, R>(find: Find, statement: Statement<A>): Query<A, R> =>
  (...values) => {
    const bound = bind(values)
    return Effect.withFiber<A, StorageError, R>((fiber) => find(fiber.context).execute(statement, bound))
  }

// The tables are STRICT, so a row is what its statement says.
const first = <Of, A>(sql: string, decode: (row: Of) => A, use: Use): Statement<A | undefined> => {
  const read = (row: Row | undefined) => (row === undefined ? undefined : decode(row as Of))
  return {
    sql,
    read: (statement, values) => read(statement.get(...values)),
    bridged: (call, values) => Effect.map(call[use](sql, values), ([row]) => read(row))
  }
}

// Never `iterate`: a cursor that is left open pins an old snapshot.
const all = <Of, A>(sql: string, decode: (row: Of) => A): Statement<ReadonlyArray<A>> => {
  const read = (rows: ReadonlyArray<Row>) => rows.map((row) => decode(row as Of))
  return {
    sql,
    read: (statement, values) => read(statement.all(...values)),
    bridged: (call, values) => Effect.map(call.read(sql, values), read)
  }
}

const run = (sql: string): Statement<void> => {
  const write = writeOf(sql)
  return {
    sql,
    writes: true,
    read: (statement, values) => {
      statement.run(...values)
    },
    bridged: (call, values) => call.write(write, values)
  }
}

/** Does something in a call unless a row is there that it conflicts with. */
const unless =
  <A>(
    { places, statement }: Conflict,
    conflicting: A,
    act: (call: BridgedCall, values: ReadonlyArray<SqlValue>) => Effect.Effect<A, StorageError>
  ): Statement<A>["bridged"] =>
  (call, values) =>
    Effect.flatMap(
      call.lock(
        statement,
        places.map((place) => values[place] ?? null)
      ),
      ([row]) => (row === undefined ? act(call, values) : Effect.succeed(conflicting))
    )

const tryRun = (sql: string, conflict: Conflict): Statement<boolean> => {
  const write = writeOf(sql)
  return {
    sql,
    writes: true,
    read: (statement, values) => Number(statement.run(...values).changes) > 0,
    bridged: unless(conflict, false, (call, values) => Effect.as(call.write(write, values), true))
  }
}

const shortcut = (sql: string): Statement<boolean> => ({
  sql,
  writes: true,
  read: (statement, values) => Number(statement.run(...values).changes) > 0,
  bridged: () => Effect.succeed(false)
})

const insert = (sql: string): Statement<number> => {
  const write = writeOf(sql)
  return {
    sql,
    writes: true,
    read: (statement, values) => Number(statement.run(...values).lastInsertRowid),
    bridged: (call, values) => call.insert(write, values)
  }
}

const tryInsert = (sql: string, conflict: Conflict): Statement<number | undefined> => {
  const write = writeOf(sql)
  return {
    sql,
    writes: true,
    read: (statement, values) => {
      const { changes, lastInsertRowid } = statement.run(...values)
      return Number(changes) === 0 ? undefined : Number(lastInsertRowid)
    },
    bridged: unless(conflict, undefined, (call, values) => call.insert(write, values))
  }
}

/** Runs statements on the connections of a file. There is one writer, so a row that is read by it is locked. */
export const sqliteSql = (sessions: Sessions): Sql => {
  const toRead: Find = (context) => sessions.toRead(context)
  const toWrite: Find = (context) => sessions.toWrite(context)
  return {
    first: (statement, decode) => query(toRead, first(statement, decode, "read")),
    all: (statement, decode) => query(toRead, all(statement, decode)),
    lock: (statement, decode) => query(toWrite, first(statement, decode, "lock")),
    lockShared: (statement, decode) => query(toWrite, first(statement, decode, "lock")),
    run: (statement) => query(toWrite, run(statement)),
    tryRun: (statement, conflict) => query(toWrite, tryRun(statement, conflict)),
    shortcut: (statement) => query(toWrite, shortcut(statement)),
    insert: (statement) => query(toWrite, insert(statement)),
    tryInsert: (statement, conflict) => query(toWrite, tryInsert(statement, conflict))
  }
}
