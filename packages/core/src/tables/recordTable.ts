import { ExternalIdTaken } from "../domain/records/RecordErrors.ts"
import type { Metadata, RecordKind } from "../domain/records/ResourceRecord.ts"
import { columnsOf, isOneOf, query, table } from "../kernel/Table.ts"
import { categories } from "./categoryTable.ts"
import { orders } from "./orderTable.ts"
import { pets } from "./petTable.ts"

/**
 * What the owner of a resource has set beside its specified shape. Only resources whose record was changed have such a row. As columns, every order
 * would read up to 27 KB with its pet.
 */
export interface RecordRow {
  readonly kind: RecordKind
  /** The id of the resource. */
  readonly id: number
  readonly externalId?: string
  readonly metadata: Metadata
  /** How often the record was changed. */
  readonly changes: number
  /** Whose order it is about, as that has it. Never changes. */
  readonly owner?: string
}

/** The key of the record of a resource. */
export const recordKeyOf = ({ id, kind }: Pick<RecordRow, "id" | "kind">): string => `${kind}/${id}`

/** The tables of the resources that have records. */
export const recordedTables = { pets, categories, orders } as const

const record = columnsOf<RecordRow>()

/** The records of resources, whose locks keep them as they are. */
export const records = table<RecordRow, string>("records", {
  key: ["resource"],
  columns: {
    resource: record.text(recordKeyOf),
    kind: record.text("kind"),
    id: record.integer("id"),
    external_id: record.text("externalId?"),
    metadata: record.json("metadata"),
    changes: record.integer("changes"),
    owner: record.text("owner?")
  },
  checks: [
    "resource = kind || '/' || id",
    isOneOf("kind", Object.keys(recordedTables)),
    "external_id <> ''",
    "json_type(metadata) = 'object'",
    "changes >= 1"
  ],
  ownerOf: ({ id, kind }) => ({ table: recordedTables[kind], key: id }),
  indexes: {
    kind: { equal: ["kind"], order: ["id"] },
    external_id: {
      equal: ["kind", "external_id"],
      where: [{ column: "external_id", isPresent: true }],
      isUnique: true,
      taken: ({ externalId = "" }) => new ExternalIdTaken({ externalId })
    }
  }
})

/** Names the record of a kind. */
export interface ExternalIdQuery {
  readonly kind: RecordKind
  readonly externalId: string
  /** Finds the record of an order only if this owner has the order. */
  readonly owner?: string | undefined
}

/** The record of a kind of resource with an external id. */
export const recordsByExternalId = query(
  records,
  "recordsByExternalId",
  ({ externalId, kind, owner }: ExternalIdQuery) => [
    {
      index: "external_id",
      equal: { kind, external_id: externalId },
      ...(owner === undefined ? {} : { also: { owner } })
    }
  ]
)

/** The records of a kind behind an id. */
export const recordsOf = query(
  records,
  "recordsOf",
  ({ after, kind }: { readonly kind: RecordKind; readonly after: number }) => [
    { index: "kind", equal: { kind }, after: [after] }
  ]
)
