import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { visibleOwner } from "../access/Principal.ts"
import type { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import { validator } from "../domain/validate.ts"
import { changeOf, Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import { findVisible, isHidden, notFound } from "../orders/visibleOrder.ts"
import { goOn, withPrincipal } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { CallOptions, ChangeOptions, Versioned } from "../services/Options.ts"
import type { UseCases } from "../services/UseCases.ts"
import type { ExternalIdTaken } from "./RecordErrors.ts"
import {
  type AnyMetadata,
  type MetadataSchemas,
  metadataProblem,
  type RecordKind,
  type RecordUpdate,
  type ResourceRecord,
  resourceOf
} from "./ResourceRecord.ts"
import { type CheckMetadata, tableOf, toRecord, update } from "./recordCommands.ts"
import { type RecordRow, recordKeyOf, records, recordsByExternalId } from "./recordTable.ts"

/**
 * The methods of `petstore.records`: what is recorded about pets, categories and orders beside their specified shapes.
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

/** Checks metadata as a whole: the number of its keys, and what the schema of its kind accepts. */
const checkOf = (schemas: MetadataSchemas): CheckMetadata => {
  const checks = new Map(
    Object.entries(schemas).flatMap(([kind, schema]) => (schema === undefined ? [] : [[kind, validator(schema)]]))
  )
  return (kind, metadata) => {
    const message = metadataProblem(metadata)
    if (message !== undefined) return Result.fail([{ path: "/body/metadata", message }])
    return Result.mapError(checks.get(kind)?.("", metadata) ?? Result.void, (violations) =>
      violations.map((violation) => ({ ...violation, path: `/body/metadata${violation.path}` }))
    )
  }
}

/** The use cases of records. Inputs are decoded already. */
export class Records extends Context.Service<
  Records,
  UseCases<
    RecordMethods,
    {
      get: NotFound
      getByExternalId: NotFound
      update: NotFound | PreconditionFailed | ExternalIdTaken | ValidationFailed | IdempotencyError
    }
  >
>()("@petstore/core/records/Records") {
  static readonly layer = (schemas: MetadataSchemas) =>
    Layer.effect(
      Records,
      Effect.gen(function* () {
        const storage = yield* Storage
        const idempotency = yield* Idempotency
        const check = checkOf(schemas)

        type Found = Effect.Effect<Versioned<ResourceRecord>, NotFound | StorageError>
        const find = (kind: RecordKind, id: number) =>
          kind === "orders" ? findVisible(storage, id) : storage.find(tableOf(kind), id)

        return {
          get: (kind, id) =>
            storage.snapshot(
              Effect.flatMap(
                find(kind, id),
                (resource): Found =>
                  resource === undefined
                    ? Effect.fail(NotFound.of(resourceOf[kind], id))
                    : Effect.map(storage.find(records, recordKeyOf({ kind, id })), (row) => toRecord(id, resource, row))
              )
            ),

          getByExternalId: (kind, externalId) =>
            withPrincipal((principal) => {
              const owner = kind === "orders" ? visibleOwner(principal) : undefined
              const absent = Effect.fail(notFoundBy(kind, externalId))
              const found = (row: RecordRow): Found =>
                Effect.flatMap(find(kind, row.id), (resource) =>
                  resource === undefined ? absent : Effect.succeed(toRecord(row.id, resource, row))
                )
              return storage.snapshot(
                Effect.flatMap(
                  storage.select(recordsByExternalId, { kind, externalId, owner }, 1),
                  ([row]): Found => (row === undefined ? absent : found(row))
                )
              )
            }),

          update: (kind, id, changes, options) =>
            withPrincipal((principal) =>
              goOn(kind === "orders" ? isHidden(storage, id) : Exit.succeed(false), (hidden) =>
                idempotency.once(
                  "records.update",
                  { ...changeOf(id, options, changes), kind, owner: visibleOwner(principal) },
                  options,
                  (call) => (hidden ? notFound(id) : update(call, kind, id, changes, check, options))
                )
              )
            )
        }
      })
    )
}
