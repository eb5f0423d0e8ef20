import * as Result from "effect/Result"
import { type PrincipalInfo, visibleOwner } from "../access/Principal.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import type { Validated } from "../domain/validate.ts"
import { type Command, fail, orFail } from "../engine/Command.ts"
import type { Table } from "../engine/Table.ts"
import { newEvent } from "../events/Event.ts"
import type { Call } from "../services/Call.ts"
import { ExternalIdTaken } from "./RecordErrors.ts"
import {
  amendRecord,
  emptyRecord,
  isEmptyRecord,
  type Metadata,
  type RecordContent,
  type RecordKind,
  type RecordUpdate,
  type ResourceRecord,
  resourceOf,
  sameRecord
} from "./ResourceRecord.ts"
import { type RecordRow, recordedTables, recordKeyOf, records, recordsByExternalId } from "./recordTable.ts"

/** What a record shows of the row of a resource. */
export interface RecordedRow {
  readonly createdAt: string
  readonly updatedAt: string
  readonly owner?: string
}

/** The rows that have records, of whichever table. */
export const tableOf = (kind: RecordKind): Table<RecordedRow> =>
  // A row of any of them has these fields, and only `owner` of orders limits who sees it.
  recordedTables[kind] as unknown as Table<RecordedRow>

/** Whether a resource exists for a principal. */
export const isShown = (
  row: RecordedRow | undefined,
  kind: RecordKind,
  principal: PrincipalInfo
): row is RecordedRow => {
  const only = visibleOwner(principal)
  return row !== undefined && (kind !== "orders" || only === undefined || row.owner === only)
}

const contentOf = (row: RecordRow | undefined): RecordContent => {
  if (row === undefined) return emptyRecord
  const { externalId, metadata } = row
  return externalId === undefined ? { metadata } : { externalId, metadata }
}

export const toRecord = (
  id: number,
  { createdAt, updatedAt }: RecordedRow,
  row: RecordRow | undefined
): ResourceRecord => ({ id, ...contentOf(row), createdAt, updatedAt })

/** Checks the metadata of a kind. */
export type CheckMetadata = (kind: RecordKind, metadata: Metadata) => Validated<unknown>

/** Changes the record of a resource, unless it stays as it is. */
export function* update(
  call: Call,
  kind: RecordKind,
  id: number,
  changes: RecordUpdate,
  check: CheckMetadata
): Command<ResourceRecord, NotFound | ExternalIdTaken | ValidationFailed> {
  const { tx } = call
  const table = tableOf(kind)
  const resource = yield* tx.lock(table, id)
  if (!isShown(resource, kind, call.principal)) return yield* fail(NotFound.of(resourceOf[kind], id))
  const row = yield* tx.lockShared(records, recordKeyOf({ kind, id }))
  const before = contentOf(row)
  const after = amendRecord(before, changes)
  if (sameRecord(before, after)) return toRecord(id, resource, row)
  if (changes.metadata !== undefined) yield* orFail(Result.mapError(check(kind, after.metadata), ValidationFailed.of))
  const { externalId } = after
  if (externalId !== undefined && externalId !== before.externalId) {
    const other = yield* tx.first(recordsByExternalId, { kind, externalId })
    if (other !== undefined) yield* fail(new ExternalIdTaken({ externalId }))
  }
  const updatedAt = call.now()
  const changed = { ...resource, updatedAt }
  tx.save(table, changed)
  if (!isEmptyRecord(after)) tx.save(records, { kind, id, ...after })
  else if (row !== undefined) tx.remove(records, row)
  call.record(updatedAt, [newEvent(`${resourceOf[kind]}.record_updated`, { id, ...after })])
  return { id, ...after, createdAt: resource.createdAt, updatedAt }
}

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
