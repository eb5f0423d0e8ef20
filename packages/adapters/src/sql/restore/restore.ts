import type { Restore, StorageError, TableName, TableRecords, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { type EventFormat, eventTarget, eventValues, plainEvents } from "../EventRows.ts"
import { Asked } from "../Program.ts"
import type { RowTarget } from "../RowTarget.ts"
import type { Sql } from "../Sql.ts"
import { first, run } from "../Statement.ts"
import { insertionInto, nameOf, tables } from "../tableText.ts"
import type { Value } from "../Value.ts"
import { accessLog } from "./accessLog.ts"

/** What differs between databases. */
export interface RestoreDialect {
  /** Makes the database give ids and numbers above those of all rows. */
  readonly continueIds: Effect.Effect<void, StorageError, Transaction>
  readonly eventFormat?: EventFormat
}

type Add = (records: ReadonlyArray<unknown>) => Effect.Effect<void, StorageError, Transaction>

const selectNote = "SELECT note FROM petstore_restore WHERE id = 1"
const upsertNote = `INSERT INTO petstore_restore (id, note) VALUES (?, ?)
  ON CONFLICT (id) DO UPDATE SET note = excluded.note`
const removeNote = "DELETE FROM petstore_restore WHERE (id) IN (SELECT id FROM petstore_restore)"

/** Fills a store on a database. */
export const restore = (sql: Sql, { continueIds, eventFormat = plainEvents }: RestoreDialect): Restore => {
  const toNote = ({ note }: { readonly note: string }): string => note
  const readNote = new Asked(first(selectNote, toNote))
  const lockNote = new Asked(first(selectNote, toNote, "lock"))
  const saveNote = run(upsertNote)
  const forget = new Asked(run(removeNote))

  const count = (table: string): Effect.Effect<number, StorageError> =>
    Effect.map(
      sql.read(
        () =>
          new Asked(
            first(`SELECT count(*) AS rows FROM ${table}`, ({ rows }: { readonly rows: number }) => Number(rows))
          )
      ),
      (rows = 0) => rows
    )

  const addTo = <Stored>(target: RowTarget, valuesOf: (record: Stored) => ReadonlyArray<Value>): Add => {
    const insert = sql.insertAll(target)
    // What is added to a table is of its type.
    return (records) =>
      records.length === 0 ? Effect.void : insert((records as ReadonlyArray<Stored>).map((record) => valuesOf(record)))
  }

  const valuesOfEvent = eventValues(eventFormat)
  const events = addTo<TableRecords["events"]>(
    { ...eventTarget, columns: [{ name: "seq", type: "integer" }, ...eventTarget.columns] },
    (event) => [event.seq, ...valuesOfEvent(event)]
  )
  const adds = new Map<string, Add>([["events", events]])
  const counts: Array<readonly [name: string, count: Effect.Effect<number, StorageError>]> = [
    ["events", count(eventTarget.table)]
  ]
  for (const [name, table] of tables) {
    const { target, valuesOf } = insertionInto(table, { withIds: true })
    // One with a key that exists is a fault.
    adds.set(name, addTo({ ...target, end: "" }, valuesOf))
    counts.push([name, count(nameOf(table))])
  }

  return {
    // The tables are those of the records.
    counts: Effect.all(Object.fromEntries(counts)) as unknown as Restore["counts"],
    note: sql.read(() => readNote),
    lockNote: sql.inTransaction(() => lockNote),
    saveNote: (note) => sql.inTransaction(() => new Asked(saveNote, [1, note])),
    add: (table: TableName, records) => adds.get(table)?.(records) ?? Effect.void,
    accessLog: accessLog(sql),
    finish: Effect.andThen(
      continueIds,
      sql.inTransaction(() => forget)
    )
  }
}
