import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SynchronousConnection } from "../adapter-toolkit/SynchronousConnection.ts"
import { shown } from "../domain/shown.ts"
import type { Restore } from "../ports/Restore.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import type { EventRecord } from "../tables/eventTable.ts"
import { apiKeys } from "../tables/index.ts"
import type { EventLog } from "./EventLog.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Fills a store in memory. The next ids follow from the rows. */
const restore = (store: SynchronousConnection, database: MemoryDatabase): Restore => ({
  counts: store.read(() => database.counts()),
  note: store.read(() => database.note),
  step: ({ add, from, note, save = [] }) =>
    store.transact(() => {
      const kept = database.note
      if (kept !== from) return kept
      if (add?.table === "events") addEvents(database.events, add.rows)
      else if (add !== undefined) database.rows.restore(add.table, add.rows)
      database.rows.write(save.map((row) => ({ table: apiKeys.name, key: row.key.id, row, before: row })))
      database.note = note
      return kept
    }),
  finish: store.transact(() => {
    database.note = undefined
  })
})

/** The first event of a log whose beginning was removed has another number than 1. */
const addEvents = (log: EventLog, records: ReadonlyArray<EventRecord>): void => {
  const [first] = records
  if (log.size === 0 && first !== undefined) log.begin(first.seq - 1)
  for (const event of records) log.append(event, event.seq)
}

export const memoryStore = (connection: SynchronousConnection, database: MemoryDatabase): Storage["Service"] => ({
  ...connection.operations,
  run: connection.runCommands(() => database.rows.source(), database.rows.write),
  reserve: (table, count) => connection.read(() => database.rows.reserve(table, count)),
  buildIndexes: (indexes, { dropsOthers = false } = {}) =>
    connection.read(() => database.buildIndexes(indexes, dropsOthers)),
  inspect: connection.read(() => database.problems()),
  backup: undefined,
  // It reads names one by one.
  indexWords: Effect.void,
  restore: restore(connection, database),
  ...database.rows.ofPort(connection)
})

/**
 * Keeps everything in memory, with the same transactions as the other adapters: for tests, demonstrations and data that
 * may be lost. The data lives as long as this object: petstores that are opened with it, at once or one after the other,
 * share one database. Tests that must not share data need one each.
 */
export const memory: () => StorageAdapter = (...given: ReadonlyArray<unknown>) => {
  // Plain JavaScript may pass the options of another storage. A number is an index, of `array.map`.
  if (given[0] !== undefined && typeof given[0] !== "number")
    throw new TypeError(
      `memory takes no options, and ignored ${shown(given[0])}. To keep data, write sqlite("petstore.db").`
    )
  const database = new MemoryDatabase()
  const open = SynchronousConnection.open(database)
  return {
    name: "memory",
    layer: Layer.effect(
      Storage,
      Effect.map(open, (connection) => memoryStore(connection, database))
    )
  }
}
