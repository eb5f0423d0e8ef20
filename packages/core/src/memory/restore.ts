import * as Effect from "effect/Effect"
import type { SynchronousConnection } from "../adapter-toolkit/SynchronousConnection.ts"
import type { EventRecord } from "../events/eventTable.ts"
import type { Restore } from "../ports/Restore.ts"
import type { EventLog } from "./EventLog.ts"
import type { MemoryDatabase } from "./MemoryDatabase.ts"

/** Fills a store in memory. The next ids follow from the rows. */
export const restore = (store: SynchronousConnection, database: MemoryDatabase): Restore => {
  const setNote = (note: string | undefined) =>
    store.write(() => {
      database.note = note
    })
  return {
    counts: store.read(() => database.counts()),
    note: store.read(() => database.note),
    lockNote: store.lock(() => database.note),
    saveNote: setNote,
    add: (name, records) =>
      store.write(() => {
        if (name === "events") addEvents(database.events, records as ReadonlyArray<EventRecord>)
        else database.rows.restore(name, records)
      }),
    finish: Effect.asVoid(setNote(undefined))
  }
}

/** The first event of a log whose beginning was removed has another number than 1. */
const addEvents = (log: EventLog, records: ReadonlyArray<EventRecord>): void => {
  const [first] = records
  if (log.size === 0 && first !== undefined) log.begin(first.seq - 1)
  for (const event of records) log.append(event, event.seq)
}
