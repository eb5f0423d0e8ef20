/** What indexes of lists are in the tables of a store, and how lists read them. */

import { crc32 } from "../domain/access/ApiKeyToken.ts"
import { limits } from "../domain/limits.ts"
import { type IndexedBy, type ListIndex, parseListIndex } from "../domain/records/ListIndex.ts"
import type { RecordKind } from "../domain/records/ResourceRecord.ts"
import { type Index, type Query, query, type Table } from "../kernel/Table.ts"
import { pets } from "./petTable.ts"
import { type RecordRow, recordedTables, records } from "./recordTable.ts"

/** A page of the records with a value of a key, behind an id. */
export interface ValueQuery {
  readonly value: string
  /** Only of the orders of this owner. */
  readonly owner?: string | undefined
  readonly after: number
}

/** The records of a kind by the values of one key, whose indexes are those of the table. */
export interface RecordsByKey {
  readonly table: Table<RecordRow, string>
  readonly by: Query<RecordRow, ValueQuery, string>
  readonly reversedBy: Query<RecordRow, ValueQuery, string>
}

/** A longer one, as Unicode may write it, is too long for an index of PostgreSQL. */
const indexed = (value: string | undefined): string | undefined =>
  value !== undefined && Array.from(value).length <= limits.metadataText ? value : undefined

/** Databases do not distinguish cases in the names of indexes, and shorten long ones. A prefix of tables within one would be replaced. */
const nameOf = (kind: RecordKind, key: string): string =>
  `by_${kind}_${key
    .toLowerCase()
    .replace(/\W|petstore/g, "_")
    .slice(0, 16)}_${crc32(key).toString(36)}`

/** The key in SQL, in which a name of the schema would get a prefix. */
const literalOf = (key: string): string => `('${key.replaceAll("petstore_", "petstore' || '_")}')`

const describeKey = (kind: RecordKind, key: string): RecordsByKey => {
  const name = nameOf(kind, key)
  const option = `${kind}.metadata.${key}`
  const json = `metadata ->> ${literalOf(key)}`
  const where = [
    { column: "kind", is: kind },
    { column: "value", isPresent: true }
  ]
  const indexes: Record<string, Index<RecordRow>> = { [name]: { equal: ["value"], order: ["id"], where, option } }
  if (kind === "orders") {
    indexes[`${name}_own`] = {
      equal: ["owner", "value"],
      order: ["id"],
      where: [...where, { column: "owner", isPresent: true }],
      option
    }
  }
  const table: Table<RecordRow, string> = {
    ...records,
    computed: {
      value: {
        sql: `(CASE WHEN length(${json}) <= ${limits.metadataText} THEN ${json} END)`,
        read: ({ metadata }) => (Object.hasOwn(metadata, key) ? indexed(metadata[key]) : undefined)
      }
    },
    indexes
  }
  const ranges = ({ after, owner, value }: ValueQuery) =>
    owner === undefined
      ? [{ index: name, equal: { value }, after: [after] }]
      : [{ index: `${name}_own`, equal: { owner, value }, after: [after] }]
  return {
    table,
    by: query(table, `recordsBy ${option}`, ranges),
    reversedBy: query(table, `recordsReversedBy ${option}`, ranges, { isReversed: true })
  }
}

const known = new Map<string, RecordsByKey>()

/** The records of a kind by the values of a key. Only keys that a shop has indexed are asked for, so all are kept. */
export const recordsByKey = (kind: RecordKind, key: string): RecordsByKey => {
  const name = `${kind}.${key}`
  const index = known.get(name) ?? describeKey(kind, key)
  known.set(name, index)
  return index
}

/** An index of a table. */
export interface TableIndex {
  readonly table: Table<object, number | string>
  readonly name: string
}

// Tables are known by their names, which types cannot follow.
const untyped = (table: unknown): TableIndex["table"] => table as TableIndex["table"]

const tableOf = (by: Exclude<IndexedBy, { readonly kind: "events" }>) => {
  if ("time" in by) return recordedTables[by.kind]
  return "key" in by ? recordsByKey(by.kind, by.key).table : pets
}

/**
 * The indexes of tables that these indexes of lists consist of. Their names begin with `by_`, as those of no others do. The log of events is
 * none of the tables: each store has its own form of it.
 */
export const tableIndexesOf = (indexes: ReadonlyArray<ListIndex>): ReadonlyArray<TableIndex> =>
  [...new Set(indexes)].flatMap((index) => {
    const by = parseListIndex(index)
    if (by === undefined) throw new TypeError(`There is no index ${index}`)
    if (by.kind === "events") return []
    const table = untyped(tableOf(by))
    const option = "time" in by ? by.time : index
    return Object.entries(table.indexes).flatMap(([name, one]) => (one.option === option ? [{ table, name }] : []))
  })
