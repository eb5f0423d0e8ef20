import type { Command } from "../engine/Command.ts"
import type { Table } from "../engine/Table.ts"
import type { Call } from "../services/Call.ts"
import type { Versioned } from "../services/Options.ts"
import { type CountedRecord, emptyRecord, type RecordKind, type ResourceRecord } from "./ResourceRecord.ts"
import { recordedTables, recordKeyOf, records } from "./recordTable.ts"

/** What a record shows of the row of a resource. */
export interface RecordedRow {
  readonly createdAt: string
  readonly updatedAt: string
  readonly version: number
  readonly owner?: string
}

/** The rows that have records, of whichever table. */
export const tableOf = (kind: RecordKind): Table<RecordedRow> =>
  // A row of any of them has these fields, and only `owner` of orders limits who sees it.
  recordedTables[kind] as unknown as Table<RecordedRow>

/** The version counts the changes of the resource and of its record, whose times `updatedAt` shows. */
export const toRecord = (
  id: number,
  { createdAt, updatedAt, version }: RecordedRow,
  { changes, externalId, metadata }: CountedRecord = emptyRecord
): Versioned<ResourceRecord> => ({
  id,
  ...(externalId === undefined ? {} : { externalId }),
  metadata,
  createdAt,
  updatedAt,
  version: version + changes
})

/** Removes the record of a locked resource that is deleted, so that another one may take its external id. */
export function* removeRecord({ tx }: Call, kind: RecordKind, id: number): Command<void> {
  const row = yield* tx.lockShared(records, recordKeyOf({ kind, id }))
  if (row !== undefined) tx.remove(records, row)
}

/** Removes the records of many locked resources that are deleted. */
export function* removeRecords({ tx }: Call, kind: RecordKind, ids: ReadonlyArray<number>): Command<void> {
  const keys = ids.map((id) => recordKeyOf({ kind, id }))
  for (const row of yield* tx.findAll(records, keys)) tx.remove(records, row)
}
