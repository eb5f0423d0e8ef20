import type { RecordKind } from "../records/ResourceRecord.ts"
import { type RecordRow, recordsOf } from "../records/recordTable.ts"
import { eachIn, nextOf, type Range, type Source } from "./Buckets.ts"
import type { Run } from "./Run.ts"

/** The records of one kind of resource, which are read in ranges of its ids. */
export const recordRows = ({ log, store }: Run, kind: RecordKind) => {
  const rows: Source<RecordRow> = {
    fetch: (after, limit) => store.select(recordsOf, { kind, after }, limit),
    idOf: ({ id }) => id
  }
  const found = new Map<number, RecordRow>()
  return {
    next: nextOf(rows),
    read: (range: Range) => eachIn(rows, range, (row) => found.set(row.id, row)),
    /** Compares the record of a resource with its events. */
    compare: (id: number): void => {
      log.compareRecord(kind, id, found.get(id))
      found.delete(id)
    },
    /** Compares the records that belong to no row of the range. */
    finish: (): void => {
      for (const id of found.keys()) log.compareRecord(kind, id, found.get(id))
      found.clear()
    }
  }
}
