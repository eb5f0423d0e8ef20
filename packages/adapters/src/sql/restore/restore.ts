import type { Restore, RestoredRows, RestoreStep, StorageError, TableRecords } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { type EventFormat, eventTarget, plainEvents } from "../EventStatements.ts"
import { Asked, type Asking, execute, Filled, first } from "../Program.ts"
import type { RowTarget } from "../RowTarget.ts"
import type { Sql, Transact } from "../Sql.ts"
import { insertionInto, nameOf, tables } from "../tableText.ts"
import type { Value } from "../Value.ts"
import { accessLog, replayed, usedAt } from "./accessLog.ts"

/** What differs between databases. */
export interface RestoreDialect {
  /** Makes the database give ids and numbers above those of all rows. */
  readonly continueIds?: () => Asking<void>
  /** Runs after events were added; `last` is the `seq` of the last one. */
  readonly afterEvents?: (last: number) => Asking<void>
  readonly eventFormat?: EventFormat
}

/** How records of a table are added. */
interface Addition {
  readonly target: RowTarget
  readonly valuesOf: (record: never) => ReadonlyArray<Value>
}

const selectNote = "SELECT note FROM petstore_restore WHERE id = 1"
const upsertNote = `INSERT INTO petstore_restore (id, note) VALUES (?, ?)
  ON CONFLICT (id) DO UPDATE SET note = excluded.note`
const removeNote = "DELETE FROM petstore_restore WHERE (id) IN (SELECT id FROM petstore_restore)"

/** Fills a store on a database. */
export const restore = (
  sql: Sql,
  transact: Transact,
  { afterEvents, continueIds, eventFormat = plainEvents }: RestoreDialect
): Restore => {
  const toNote = ({ note }: { readonly note: string }): string => note
  const readNote = new Asked(first(selectNote, toNote))
  const lockNote = new Asked(first(selectNote, toNote, "lock"))
  const saveNote = execute(upsertNote)
  const forget = new Asked(execute(removeNote))

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

  const valuesOfEvent = eventFormat.values
  const eventRows: Addition = {
    target: { ...eventTarget, columns: [{ name: "seq", type: "integer" }, ...eventTarget.columns] },
    valuesOf: (event: TableRecords["events"]) => [event.seq, ...valuesOfEvent(event)]
  }
  const additions = new Map<string, Addition>([["events", eventRows]])
  const counts: Array<readonly [name: string, count: Effect.Effect<number, StorageError>]> = [
    ["events", count(eventTarget.table)]
  ]
  for (const [name, table] of tables) {
    const { target, valuesOf } = insertionInto(table, { withIds: true })
    // One with a key that exists is a fault.
    additions.set(name, { target: { ...target, end: "" }, valuesOf })
    counts.push([name, count(nameOf(table))])
  }

  function* added({ rows, table }: RestoredRows): Asking<void> {
    const addition = additions.get(table)
    if (addition === undefined || rows.length === 0) return
    // What is added to a table is of its type.
    yield* new Filled(addition.target, (rows as ReadonlyArray<never>).map(addition.valuesOf))
    const last = table === "events" ? rows.at(-1) : undefined
    if (last !== undefined && afterEvents !== undefined) yield* afterEvents(last.seq)
  }

  function* step({ add, from, note, replay = [], save = [] }: RestoreStep): Asking<string | undefined> {
    const kept = yield* lockNote
    if (kept !== from) return kept
    if (add !== undefined) yield* added(add)
    for (const change of replay) yield* replayed(change)
    for (const key of save) yield* usedAt(key)
    yield* new Asked(saveNote, [1, note])
    return kept
  }

  return {
    // The tables are those of the records.
    counts: Effect.all(Object.fromEntries(counts)) as unknown as Restore["counts"],
    note: sql.read(() => readNote),
    step: (one) => transact(() => step(one)),
    accessLog: accessLog(sql),
    finish: transact(function* () {
      if (continueIds !== undefined) yield* continueIds()
      yield* forget
    })
  }
}
