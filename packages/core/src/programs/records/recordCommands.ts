import type { Page } from "../../domain/Page.ts"
import type { IncludedRecord } from "../../domain/records/IncludedRecord.ts"
import {
  type CountedRecord,
  emptyRecord,
  type RecordKind,
  type ResourceRecord
} from "../../domain/records/ResourceRecord.ts"
import type { Command } from "../../kernel/Command.ts"
import type { Table } from "../../kernel/Table.ts"
import { recordedTables, recordKeyOf, records } from "../../tables/recordTable.ts"
import type { Call, Reading } from "../Call.ts"
import type { Versioned } from "../Options.ts"

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

/** What reads and lists add to a resource. */
const includedRecord = (
  { createdAt, updatedAt }: RecordedRow,
  { externalId, metadata }: CountedRecord = emptyRecord
): IncludedRecord => ({ createdAt, updatedAt, ...(externalId === undefined ? {} : { externalId }), metadata })

/** Resources as they are shown with their records, in the order of their rows: one keyed read for all of them. */
function* withRecords<Row extends RecordedRow, Shown>(
  { rows }: Pick<Reading, "rows">,
  kind: RecordKind,
  resources: ReadonlyArray<Row>,
  show: (row: Row, record: IncludedRecord) => Shown
): Command<ReadonlyArray<Shown>> {
  if (resources.length === 0) return []
  const { keyOf } = tableOf(kind)
  const stored = yield* rows.findAll(
    records,
    resources.map((row) => recordKeyOf({ kind, id: keyOf(row) }))
  )
  const byId = new Map(stored.map((record) => [record.id, record]))
  return resources.map((row) => show(row, includedRecord(row, byId.get(keyOf(row)))))
}

/** A resource as it is shown with its record. */
export function* withRecord<Row extends RecordedRow, Shown extends object>(
  reading: Reading,
  kind: RecordKind,
  resource: Row,
  shown: Shown
): Command<Shown & { readonly record: IncludedRecord }> {
  const [one] = yield* withRecords(reading, kind, [resource], (_, record) => ({ ...shown, record }))
  return one as NonNullable<typeof one>
}

/** A page of resources as they are shown with their records. */
export function* pageWithRecords<Row extends RecordedRow, Shown>(
  reading: Reading,
  kind: RecordKind,
  page: Page<Row>,
  show: (row: Row, record: IncludedRecord) => Shown
): Command<Page<Shown>> {
  return { ...page, items: yield* withRecords(reading, kind, page.items, show) }
}

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
