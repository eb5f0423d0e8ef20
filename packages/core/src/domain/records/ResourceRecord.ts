/** What is recorded about a resource beside its specified shape: its times, an id of another system, and metadata. */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Id } from "../Id.ts"
import { limits } from "../limits.ts"
import type { MethodInputs } from "../MethodInput.ts"
import { hasOptions, optionOf, optionsIn } from "../options.ts"
import { line, prose } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"
import { type Validated, validator } from "../validate.ts"

/** The resources that have a record. */
export const RecordKind = Schema.Literals(["pets", "categories", "orders"])
/** A kind of resource that has a record. */
export type RecordKind = typeof RecordKind.Type

/** The resource in messages. */
export const resourceOf = {
  pets: "pet",
  categories: "category",
  orders: "order"
} as const satisfies Record<RecordKind, string>

const hasMeaningInPaths = new Set(["", ".", ".."])

/**
 * The id that a resource has in another system: one line of 1 to 200 characters, kept trimmed and in NFC. Case matters. It is neither `.` nor
 * `..`, which no path of a URL can contain as they are.
 */
export const ExternalId = line(limits.externalId).check(
  Schema.makeFilter((text: string) => !hasMeaningInPaths.has(text) || "Expected another text than . and ..")
)

const isKey = new RegExp(`^[A-Za-z][A-Za-z0-9_.:-]{0,${limits.metadataKey - 1}}$`)

export const isMetadataKey = (text: string): boolean => isKey.test(text)

const keys = Schema.makeFilter(
  (texts: Readonly<Record<string, unknown>>) => {
    const wrong = Object.keys(texts).find((key) => !isKey.test(key))
    const issue = `Expected a key of at most ${limits.metadataKey} letters, digits and _ . : - that begins with a letter`
    return wrong === undefined || { path: [wrong], issue }
  },
  { toJsonSchema: () => ({ propertyNames: { pattern: isKey.source } }) }
)

const atMostKeys = Schema.isMaxProperties(limits.metadataKeys, {
  message: `Expected at most ${limits.metadataKeys} keys`
})

/** Texts by keys. */
export const Metadata = Schema.Record(Schema.String, Schema.String).annotate({ identifier: "Metadata" })
export interface Metadata extends Schema.Schema.Type<typeof Metadata> {}

const content = { id: Id, externalId: Schema.optionalKey(Schema.String), metadata: Metadata }

/** The record of a pet, category or order: its external id, its metadata, and when it was created and changed. */
export const ResourceRecord = Schema.Struct({ ...content, createdAt: Timestamp, updatedAt: Timestamp }).annotate({
  identifier: "ResourceRecord"
})
/** The record of a resource: when it was created and last changed, its id in another system, and its metadata. */
export interface ResourceRecord<M extends Metadata = Metadata> {
  readonly id: number
  readonly externalId?: string
  readonly metadata: M
  readonly createdAt: string
  /** When the resource or its record last changed. The stock of a pet is not part of either. */
  readonly updatedAt: string
}

/** A change of a record. */
export const RecordUpdate = Schema.Struct({
  externalId: Schema.optionalKey(Schema.NullOr(ExternalId)),
  metadata: Schema.optionalKey(
    Schema.NullOr(Schema.Record(Schema.String, Schema.NullOr(prose(0, limits.metadataText))).check(keys, atMostKeys))
  )
}).annotate({ identifier: "RecordUpdate" })
/** A change of a record: absent fields stay as they are. */
export interface RecordUpdate<M extends Metadata = Metadata> {
  /** The id in another system. Null removes it. */
  readonly externalId?: string | null
  /** Keys to set. Null or an empty text removes a key; null in place of the object removes all keys. */
  readonly metadata?: { readonly [Key in keyof M]?: M[Key] | "" | null } | null
}

/** What an event carries of a record: all of it but the times. */
export const RecordEventData = Schema.Struct(content).annotate({ identifier: "RecordEventData" })
export interface RecordEventData extends Schema.Schema.Type<typeof RecordEventData> {}

/** What the owner of a resource sets in its record. */
export type RecordContent = Omit<RecordEventData, "id">

export interface CountedRecord extends RecordContent {
  readonly changes: number
}

/** The record of a resource that nobody has set anything of. */
export const emptyRecord: CountedRecord = { metadata: {}, changes: 0 }

/** Metadata after a change, in the order of its keys. */
const amendMetadata = (metadata: Metadata, update: RecordUpdate["metadata"]): Metadata => {
  const kept = Object.entries({ ...(update === null ? {} : metadata), ...update })
  return Object.fromEntries(
    kept
      .filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== "")
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
}

/** A record after a change. */
export const amendRecord = (record: RecordContent, update: RecordUpdate): RecordContent => {
  const externalId = update.externalId === undefined ? record.externalId : (update.externalId ?? undefined)
  const metadata = amendMetadata(record.metadata, update.metadata)
  return externalId === undefined ? { metadata } : { externalId, metadata }
}

export const sameRecord = (a: RecordContent, b: RecordContent): boolean =>
  a.externalId === b.externalId && JSON.stringify(a.metadata) === JSON.stringify(b.metadata)

/** Why metadata cannot be stored; undefined if it can. */
const metadataProblem = (metadata: Metadata): string | undefined => {
  const count = Object.keys(metadata).length
  return count > limits.metadataKeys
    ? `Expected at most ${limits.metadataKeys} keys, and these are ${count} with those that are stored`
    : undefined
}

/** The schemas that check metadata, one for each kind of resource that your app chooses. Each accepts an object of texts. */
export type MetadataSchemas = { readonly [Kind in RecordKind]?: Schema.Codec<unknown, Metadata> | undefined }

/** The option with these schemas. */
export const metadataOption = optionOf<MetadataSchemas>(
  `Effect schemas of metadata by kind, of ${RecordKind.literals.join(", ")}, such as { pets: Schema.Struct({ chip: Schema.String }) }`,
  (value) =>
    hasOptions(value, RecordKind.literals) &&
    Object.entries(optionsIn(value)).every(
      ([kind, schema]) =>
        RecordKind.literals.some((one) => one === kind) && (schema === undefined || Schema.isSchema(schema))
    )
)

/** The metadata of each kind, if nothing is known of it. */
export type AnyMetadata = { readonly [Kind in RecordKind]: Metadata }

/** The metadata of each kind as its schema accepts it. */
export type MetadataOf<Schemas> = MetadataSchemas extends Schemas
  ? AnyMetadata
  : {
      readonly [Kind in RecordKind]: Schemas extends {
        readonly [K in Kind]: Schema.Codec<unknown, infer M extends Metadata>
      }
        ? M
        : Metadata
    }

const path = { id: Id }

/** What the methods of `records` take. */
export const recordInputs = {
  get: { kind: RecordKind, path, errors: ["not_found"] },
  getByExternalId: { kind: RecordKind, path: { externalId: ExternalId }, errors: ["not_found"] },
  update: {
    kind: RecordKind,
    path,
    body: RecordUpdate,
    options: { idempotencyKey: true, ifVersion: true },
    errors: ["not_found", "external_id_taken"]
  }
} as const satisfies MethodInputs

export type CheckMetadata = (kind: RecordKind, metadata: Metadata) => Validated<unknown>

/** Checks metadata as a whole: the number of its keys, and what the schema of its kind accepts. */
export const metadataCheck = (schemas: MetadataSchemas): CheckMetadata => {
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
