import * as Effect from "effect/Effect"
import type { Command, Yielded } from "../../src/kernel/Command.ts"
import type { Table } from "../../src/kernel/Table.ts"
import type { Removed, Saved, Transaction, Write } from "../../src/kernel/Transaction.ts"
import { Storage } from "../../src/ports/Storage.ts"
import type { StorageError } from "../../src/ports/StorageError.ts"
import { schema } from "../../src/tables/index.ts"

type Store = Storage["Service"]
type AnyTable = Table<object, number | string>

const tableNamed = (name: string): AnyTable => {
  const found = Object.values(schema).find((table) => table.name === name)
  if (found === undefined) throw new Error(`There is no table ${name}`)
  return found as unknown as AnyTable
}

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

/** Makes changes; a part of a command. */
export function* writing(tx: Transaction, writes: ReadonlyArray<Write>): Command<void> {
  for (const write of writes) {
    if ("table" in write) {
      const table = tableNamed(write.table)
      if (write.before === undefined) tx.add(table, write.row as object)
      else {
        yield* tx.lock(table, write.key)
        tx.save(table, write.row as object)
      }
    } else if ("remove" in write) {
      yield* tx.lock(tableNamed(write.remove), write.key)
      tx.remove(tableNamed(write.remove), write.row as object)
    } else if ("log" in write) tx.append({ name: write.log, rows: [] }, write.rows as ReadonlyArray<never>)
    else if ("purge" in write) tx.purge(tableNamed(write.purge), write.before, write.limit)
    else tx.trim(write.trim)
  }
}

/** Makes changes, as a transaction. */
export const writtenTo = (store: Store, writes: ReadonlyArray<Write>): Effect.Effect<void, StorageError> =>
  store.run((tx) => writing(tx, writes))

/** The same in the store of the fiber. */
export const written = (writes: ReadonlyArray<Write>): Effect.Effect<void, StorageError, Storage> =>
  Effect.flatMap(Storage, (store) => writtenTo(store, writes))

/** Changes a live row; a part of a command. */
export function* changing<Row, Key extends number | string>(
  tx: Transaction,
  table: Table<Row, Key>,
  key: Key,
  changed: (row: Row) => Row
): Command<void> {
  const row = yield* tx.lock(table, key)
  if (row === undefined) throw new Error(`There is no row ${key} of ${table.name}`)
  tx.save(table, changed(row))
}

/** Changes a live row, as a transaction. */
export const changeRow = <Row, Key extends number | string>(
  store: Store,
  table: Table<Row, Key>,
  key: Key,
  changed: (row: Row) => Row
): Effect.Effect<void, StorageError> => store.run((tx) => changing(tx, table, key, changed))

/** Passes a command on, and calls a function with what it has collected when it ends. */
export function* noticed<Y extends Yielded, A>(
  tx: Transaction,
  command: Generator<Y, A, unknown>,
  onEnd: (writes: ReadonlyArray<Write>) => void
): Generator<Y, A, unknown> {
  const value = yield* command
  onEnd(tx.writes)
  return value
}

/** Whether a row of a table is replaced. */
export const replaces = ({ name }: { readonly name: string }, writes: ReadonlyArray<Write>): boolean =>
  writes.some((one) => "table" in one && one.table === name && one.before !== undefined)
