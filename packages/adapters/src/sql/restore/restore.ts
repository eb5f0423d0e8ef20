import type { Restore, StorageError, TableName, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { EventFormat } from "../EventRows.ts"
import type { Sql } from "../Sql.ts"
import { accessLog } from "./accessLog.ts"
import { type RestoredTable, restoredEvents, restoredTables } from "./tables.ts"

/** What differs between databases. */
export interface RestoreDialect {
  /** Makes the database give ids and numbers above those of all rows. */
  readonly continueIds: Effect.Effect<void, StorageError, Transaction>
  readonly eventFormat?: EventFormat
}

const selectNote = "SELECT note FROM petstore_restore WHERE id = 1"
const upsertNote = `INSERT INTO petstore_restore (id, note) VALUES (?, ?)
  ON CONFLICT (id) DO UPDATE SET note = excluded.note`
const removeNote = "DELETE FROM petstore_restore WHERE (id) IN (SELECT id FROM petstore_restore)"

/** Fills a store on a database. */
export const restore = (sql: Sql, { continueIds, eventFormat }: RestoreDialect): Restore => {
  const toNote = ({ note }: { readonly note: string }): string => note
  const readNote = sql.first(selectNote, toNote)
  const lockNote = sql.lock(selectNote, toNote)
  const saveNote = sql.run(upsertNote)
  const forget = sql.run(removeNote)

  const count = ({ table }: { readonly table: string }): Effect.Effect<number, StorageError> =>
    Effect.map(
      sql.first(`SELECT count(*) AS rows FROM ${table}`, ({ rows }: { readonly rows: number }) => Number(rows))(),
      (rows = 0) => rows
    )

  const add = <Stored>({ columns, table }: RestoredTable<Stored>) => {
    const all = Object.values(columns)
    const insert = sql.insertAll({
      table,
      columns: Object.entries(columns).map(([name, { type }]) => ({ name, type }))
    })
    return (records: ReadonlyArray<Stored>) =>
      records.length === 0 ? Effect.void : insert(records.map((record) => all.map(({ read }) => read(record))))
  }

  const tables = { ...restoredTables, ...(eventFormat === undefined ? {} : { events: restoredEvents(eventFormat) }) }
  const counts: { readonly [Table in TableName]: Effect.Effect<number, StorageError> } = {
    accounts: count(tables.accounts),
    apiKeys: count(tables.apiKeys),
    categories: count(tables.categories),
    pets: count(tables.pets),
    orders: count(tables.orders),
    movements: count(tables.movements),
    checkpoints: count(tables.checkpoints),
    events: count(tables.events),
    messages: count(tables.messages),
    idempotency: count(tables.idempotency),
    imports: count(tables.imports),
    consumers: count(tables.consumers),
    parkedEvents: count(tables.parkedEvents),
    webhooks: count(tables.webhooks),
    deliveries: count(tables.deliveries)
  }
  return {
    counts: Effect.all(counts),
    note: readNote(),
    lockNote: lockNote(),
    saveNote: (note) => saveNote(1, note),
    add: {
      accounts: add(tables.accounts),
      apiKeys: add(tables.apiKeys),
      categories: add(tables.categories),
      pets: add(tables.pets),
      orders: add(tables.orders),
      movements: add(tables.movements),
      checkpoints: add(tables.checkpoints),
      events: add(tables.events),
      messages: add(tables.messages),
      idempotency: add(tables.idempotency),
      imports: add(tables.imports),
      consumers: add(tables.consumers),
      parkedEvents: add(tables.parkedEvents),
      webhooks: add(tables.webhooks),
      deliveries: add(tables.deliveries)
    },
    accessLog: accessLog(sql),
    finish: Effect.andThen(continueIds, forget())
  }
}
