import * as Result from "effect/Result"
import { visibleOwner } from "../../domain/access/Principal.ts"
import { ValidationFailed } from "../../domain/errors/InputErrors.ts"
import { NotFound } from "../../domain/errors/RequestErrors.ts"
import { newEvent } from "../../domain/events/Event.ts"
import { ExternalIdTaken } from "../../domain/records/RecordErrors.ts"
import {
  type AnyMetadata,
  amendRecord,
  type CountedRecord,
  emptyRecord,
  type RecordKind,
  type RecordUpdate,
  type ResourceRecord,
  resourceOf,
  sameRecord
} from "../../domain/records/ResourceRecord.ts"
import { type Command, fail, orFail } from "../../kernel/Command.ts"
import { recordKeyOf, records, recordsByExternalId } from "../../tables/recordTable.ts"
import type { Call, Reading } from "../Call.ts"
import { changeOf, once } from "../idempotency/once.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, ChangeOptions, Versioned } from "../Options.ts"
import { findVisible, requireVisible } from "../orders/visibleOrder.ts"
import { checkVersion } from "../precondition.ts"
import { type RecordedRow, tableOf, toRecord } from "./recordCommands.ts"

/**
 * The methods of `petstore.records`: the times, external ids and metadata of pets, categories and orders.
 *
 * @beta
 */
export interface RecordMethods<Options extends CallOptions = CallOptions, Metadata extends AnyMetadata = AnyMetadata> {
  /** Reads the record of a resource. Fails with `not_found`. */
  get<Kind extends RecordKind>(
    kind: Kind,
    id: number,
    options?: Options
  ): Promise<Versioned<ResourceRecord<Metadata[Kind]>>>
  /** Finds the resource of a kind with this external id. Fails with `not_found`. */
  getByExternalId<Kind extends RecordKind>(
    kind: Kind,
    externalId: string,
    options?: Options
  ): Promise<Versioned<ResourceRecord<Metadata[Kind]>>>
  /**
   * Changes the external id and the keys of the metadata that are present; null or an empty text removes one. Fails with `not_found`,
   * `precondition_failed`, `external_id_taken`, and with `validation_failed` if the metadata would have too many keys or does not match its schema.
   */
  update<Kind extends RecordKind>(
    kind: Kind,
    id: number,
    update: RecordUpdate<Metadata[Kind]>,
    options?: ChangeOptions & Options
  ): Promise<Versioned<ResourceRecord<Metadata[Kind]>>>
}

const notFoundBy = (kind: RecordKind, externalId: string): NotFound =>
  new NotFound(
    { kind: resourceOf[kind], externalId },
    { message: `There is no ${resourceOf[kind]} with the external id ${JSON.stringify(externalId)}.` }
  )

/** A resource that exists for the caller. */
function* findResource(reading: Reading, kind: RecordKind, id: number): Command<RecordedRow | undefined> {
  return kind === "orders" ? yield* findVisible(reading, id) : yield* reading.rows.find(tableOf(kind), id)
}

export const recordQueries = {
  *get(reading: Reading, kind: RecordKind, id: number) {
    yield* reading.rows.together()
    const resource = (yield* findResource(reading, kind, id)) ?? (yield* notFound(resourceOf[kind], id))
    return toRecord(id, resource, yield* reading.rows.find(records, recordKeyOf({ kind, id })))
  },

  *getByExternalId(reading: Reading, kind: RecordKind, externalId: string) {
    const owner = kind === "orders" ? visibleOwner(reading.principal) : undefined
    yield* reading.rows.together()
    const row = yield* reading.rows.first(recordsByExternalId, { kind, externalId, owner })
    const resource = row === undefined ? undefined : yield* findResource(reading, kind, row.id)
    if (row === undefined || resource === undefined) return yield* fail(notFoundBy(kind, externalId))
    return toRecord(row.id, resource, row)
  }
}

export const recordCommands = {
  /** Leaves a record as it is if nothing changes. Its row stays when it is empty again, for its version. */
  *update(call: Call, kind: RecordKind, id: number, changes: RecordUpdate, options?: ChangeOptions) {
    const { principal, shared, tx } = call
    const meaning = () => ({ ...changeOf(id, options, changes), kind, owner: visibleOwner(principal) })
    yield* once(call, "records.update", options, meaning)
    if (kind === "orders") yield* requireVisible(call, id)
    const table = tableOf(kind)
    const resource = (yield* tx.lock(table, id)) ?? (yield* notFound(resourceOf[kind], id))
    const before: CountedRecord = (yield* tx.lockShared(records, recordKeyOf({ kind, id }))) ?? emptyRecord
    yield* orFail(checkVersion(toRecord(id, resource, before).version, options))
    const after = amendRecord(before, changes)
    if (sameRecord(before, after)) return toRecord(id, resource, before)
    if (changes.metadata !== undefined) {
      yield* orFail(Result.mapError(shared.checkMetadata(kind, after.metadata), ValidationFailed.of))
    }
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
}
