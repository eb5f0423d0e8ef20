import * as Effect from "effect/Effect"
import type { Table } from "../../src/engine/Table.ts"
import type { Removed, Saved, Write } from "../../src/engine/Transaction.ts"
import type { Rows } from "../../src/ports/Rows.ts"

/** The write of a row: of a new one, or of one in place of `before`. */
export const saved = <Row, Key extends number | string>(table: Table<Row, Key>, row: Row, before?: Row): Saved => ({
  table: table.name,
  key: table.keyOf(row),
  row,
  before
})

export const removed = <Row, Key extends number | string>(table: Table<Row, Key>, row: Row): Removed => ({
  remove: table.name,
  key: table.keyOf(row),
  row
})

/** Changes a live row; a part of a transaction. */
export const changeRow = <Row, Key extends number | string>(
  store: Rows,
  table: Table<Row, Key>,
  key: Key,
  changed: (row: Row) => Row
) =>
  Effect.flatMap(store.lock(table, key), (row) =>
    row === undefined
      ? Effect.die(new Error(`There is no row ${key} of ${table.name}`))
      : store.write([saved(table, changed(row), row)])
  )

/** Whether a row of a table is replaced. */
export const replaces = ({ name }: { readonly name: string }, writes: ReadonlyArray<Write>): boolean =>
  writes.some((one) => "table" in one && one.table === name && one.before !== undefined)
