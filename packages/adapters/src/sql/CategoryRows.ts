import { type CategoryRecord, type CategoryRows, Duplicate } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { claimed } from "./claimed.ts"
import type { IndexRange } from "./IndexRange.ts"
import type { LockedRows } from "./RowFormat.ts"
import type { Sql } from "./Sql.ts"

interface CategoryRow {
  readonly id: number
  readonly name: string
  readonly name_key: string
  readonly description: string | null
  readonly version: number
  readonly deleted: number | boolean
}

const select = "SELECT id, name, name_key, description, version, deleted FROM petstore_categories"
const selectLive = `${select} WHERE id = ? AND NOT deleted`
const selectByName = `${select} WHERE name_key = ? AND NOT deleted`
const selectPage = `${select} INDEXED BY petstore_categories_live WHERE NOT deleted AND id > ? ORDER BY id LIMIT ?`
const selectAll = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const insert = `INSERT INTO petstore_categories (name, name_key, description, version, deleted)
  VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const update = `UPDATE petstore_categories SET name = ?, name_key = ?, description = ?, version = ?, deleted = ?
  WHERE id = ? AND NOT EXISTS
    (SELECT 1 FROM petstore_categories AS other WHERE other.name_key = ? AND NOT other.deleted AND other.id <> ?)`

export const toCategory = (row: CategoryRow): CategoryRecord => ({
  category: { id: row.id, name: row.name, ...(row.description === null ? {} : { description: row.description }) },
  nameKey: row.name_key,
  version: row.version,
  deleted: Boolean(row.deleted)
})

export const categoriesNamed = (nameKey: string): IndexRange => ({
  index: "petstore_categories_name",
  contains: "NOT deleted",
  equal: [["name_key", nameKey]],
  order: [],
  after: []
})

/** Live categories. */
export const lockedCategories: LockedRows<CategoryRow, CategoryRecord> = {
  select: `${select} WHERE NOT deleted`,
  decode: toCategory
}

export const categoryRows = (sql: Sql): CategoryRows => {
  const insertCategory = sql.tryInsert(insert, { statement: selectByName, places: [1] })
  const claimName = claimed(sql, "category name")
  const updateCategory = sql.tryRun(update, { statement: `${selectByName} AND id <> ?`, places: [6, 7] })
  return {
    find: sql.first(selectLive, toCategory),
    findByName: (nameKey) => {
      const { text, values } = sql.merge(select, [categoriesNamed(nameKey)], 1)
      return sql.first(text, toCategory)(...values)
    },
    lock: sql.lock(selectLive, toCategory),
    lockShared: sql.lockShared(selectLive, toCategory),
    list: sql.all(selectPage, toCategory),
    insert: ({ category: { name, description }, nameKey, version }) =>
      Effect.flatMap(
        Effect.andThen(claimName(nameKey), insertCategory(name, nameKey, description, version, false)),
        (id) => (id === undefined ? Effect.fail(new Duplicate({ value: nameKey })) : Effect.succeed(id))
      ),
    save: ({ category: { id, name, description }, nameKey, version, deleted }) =>
      Effect.flatMap(
        Effect.andThen(
          claimName(nameKey),
          updateCategory(name, nameKey, description, version, deleted, id, nameKey, id)
        ),
        (saved) => (saved ? Effect.void : Effect.fail(new Duplicate({ value: nameKey })))
      ),
    scan: sql.all(selectAll, toCategory)
  }
}
