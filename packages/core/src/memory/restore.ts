import * as Effect from "effect/Effect"
import type { SynchronousConnection } from "../adapter-toolkit/SynchronousConnection.ts"
import type { Restore } from "../ports/Restore.ts"
import type { MemoryDatabase } from "./MemoryDatabase.ts"

/** Fills a store in memory. The next ids follow from the rows. */
export const restore = (store: SynchronousConnection, database: MemoryDatabase): Restore => {
  const setNote = (note: string | undefined) =>
    store.write(() => {
      database.note = note
    })
  return {
    counts: store.read(() => database.rows.counts()),
    note: store.read(() => database.note),
    lockNote: store.lock(() => database.note),
    saveNote: setNote,
    add: (name, records) => store.write(() => database.rows.restore(name, records)),
    finish: Effect.asVoid(setNote(undefined))
  }
}
