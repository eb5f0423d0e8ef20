import * as Result from "effect/Result"
import { type PrincipalInfo, visibleOwner } from "../access/Principal.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { Validated } from "../domain/validate.ts"
import { type Command, fail, orFail } from "../engine/Command.ts"
import type { Table } from "../engine/Table.ts"
import { newEvent } from "../events/Event.ts"
import type { Call } from "../services/Call.ts"
import type { Versioned } from "../services/Options.ts"
import { checkVersion, type Precondition } from "../services/precondition.ts"
import { ExternalIdTaken } from "./RecordErrors.ts"
import {
  amendRecord,
  type CountedRecord,
  emptyRecord,
  type Metadata,
  type RecordKind,
  type RecordUpdate,
  type ResourceRecord,
  resourceOf,
  sameRecord
} from "./ResourceRecord.ts"
import { recordedTables, recordKeyOf, records, recordsByExternalId } from "./recordTable.ts"

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

/** Whether a resource exists for a principal. */
const isShown = (row: RecordedRow | undefined, kind: RecordKind, principal: PrincipalInfo): row is RecordedRow => {
  const only = visibleOwner(principal)
  return row !== undefined && (kind !== "orders" || only === undefined || row.owner === only)
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

/** Checks the metadata of a kind. */
export type CheckMetadata = (kind: RecordKind, metadata: Metadata) => Validated<unknown>

/** Changes the record of a resource, unless it stays as it is. Its row stays when it is empty again, for its version. */
export function* update(
  call: Call,
  kind: RecordKind,
  id: number,
  changes: RecordUpdate,
  check: CheckMetadata,
  options: Precondition | undefined
): Command<Versioned<ResourceRecord>, NotFound | PreconditionFailed | ExternalIdTaken | ValidationFailed> {
  const { tx } = call
  const table = tableOf(kind)
  const resource = yield* tx.lock(table, id)
  if (!isShown(resource, kind, call.principal)) return yield* fail(NotFound.of(resourceOf[kind], id))
  const before: CountedRecord = (yield* tx.lockShared(records, recordKeyOf({ kind, id }))) ?? emptyRecord
  yield* orFail(checkVersion(toRecord(id, resource, before).version, options))
  const after = amendRecord(before, changes)
  if (sameRecord(before, after)) return toRecord(id, resource, before)
  if (changes.metadata !== undefined) yield* orFail(Result.mapError(check(kind, after.metadata), ValidationFailed.of))
  const { externalId } = after
  if (externalId !== undefined && externalId !== before.externalId) {
    const other = yield* tx.first(recordsByExternalId, { kind, externalId })
    if (other !== undefined) yield* fail(new ExternalIdTaken({ externalId }))
  }
  const updatedAt = call.now()
  const changed = { ...resource, updatedAt }
  const { owner } = resource
  const row = { kind, id, ...after, changes: before.changes + 1, ...(owner === undefined ? {} : { owner }) }
  tx.save(table, changed)
  tx.save(records, row)
  call.record(updatedAt, [newEvent(`${resourceOf[kind]}.record_updated`, { id, ...after })])
  return toRecord(id, changed, row)
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
