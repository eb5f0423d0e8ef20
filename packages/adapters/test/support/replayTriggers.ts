import type { Write } from "@petstore/core/engine"
import { Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { eventRows } from "../../src/sql/EventRows.ts"
import { insertionOf } from "../../src/sql/RowTarget.ts"
import { rows } from "../../src/sql/rows.ts"
import type { Query, Sql } from "../../src/sql/Sql.ts"
import { tables } from "../../src/sql/tableText.ts"

/** Every statement with which the rows of a store write, which a transaction of the host replays. */
export const writingStatements = (): ReadonlyArray<string> => {
  const statements = new Set<string>()
  const noted =
    <A>(result: A) =>
    (statement: string): Query<A> => {
      statements.add(statement)
      return () => Effect.succeed(result)
    }
  const found =
    <A>(): Query<A> =>
    () =>
      Effect.succeed([] as A)
  const sql: Sql = {
    first: () => found(),
    all: () => found(),
    merge: () => ({ text: "", values: [] }),
    lock: () => found(),
    lockShared: () => found(),
    lockFree: () => found(),
    claim: () => () => Effect.succeed(true),
    isInTransaction: Effect.succeed(true),
    runOwn: () => () => Effect.void,
    run: noted(undefined),
    tryRun: noted(true),
    insertAll: (target) => {
      statements.add(insertionOf(target))
      return () => Effect.void
    },
    removeAll: (_, one) => {
      statements.add(one)
      return () => Effect.void
    },
    insertMany: (target) => {
      statements.add(insertionOf(target))
      return () => Effect.succeed([1])
    },
    tryInsert: noted(1)
  }
  const { insert, write } = rows(sql, eventRows(sql))
  // Each of its parts can be read, and converted to a value.
  const row: object = new Proxy(() => 1, { get: () => row })
  for (const [name, table] of tables) {
    const writes: ReadonlyArray<Write> = [
      { table: name, key: 1, row, before: undefined },
      { table: name, key: 1, row, before: row },
      { remove: name, key: 1, row }
    ]
    const purged = table.indexes.age === undefined ? [] : [{ purge: name, before: "", limit: 1 }]
    const added = table.generatesIds ? insert(table as never, [() => row as never]) : Effect.void
    const all = Effect.andThen(write([...writes, ...purged]), added)
    Effect.runSync(Effect.exit(Effect.provideService(all, Transaction, { store: sql })))
  }
  return [...statements]
}
