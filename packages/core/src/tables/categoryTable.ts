import type { Category } from "../domain/categories/Category.ts"
import { CategoryNameTaken } from "../domain/pets/PetErrors.ts"
import { columnsOf, query, table } from "../kernel/Table.ts"
import { type TimePlace, timeIndexes, timeIndexOf, timeRange } from "./TimeOrder.ts"

/** A category as it is stored. */
export interface CategoryRecord {
  readonly category: Category
  /** The name in the form that is compared; unique among the categories that are not deleted. */
  readonly nameKey: string
  readonly version: number
  readonly createdAt: string
  /** When its last event happened. */
  readonly updatedAt: string
  /** A deleted category stays in the store, so that its id is never used again. */
  readonly deleted: boolean
}

const category = columnsOf<CategoryRecord>()

/** The categories of pets. Deleted ones stay. */
export const categories = table<CategoryRecord>("categories", {
  key: ["id"],
  generatesIds: true,
  lockOrder: 4,
  columns: {
    id: category.integer("category.id"),
    name: category.text("category.name"),
    name_key: category.text("nameKey"),
    description: category.text("category.description?"),
    version: category.integer("version"),
    created_at: category.time("createdAt"),
    updated_at: category.time("updatedAt"),
    deleted: category.boolean("deleted")
  },
  checks: ["name <> ''", "version >= 1"],
  live: [{ column: "deleted", is: false }],
  indexes: {
    name: {
      equal: ["name_key"],
      where: [{ column: "deleted", is: false }],
      isUnique: true,
      taken: ({ category: { name } }) => new CategoryNameTaken({ name })
    },
    live: { order: ["id"], where: [{ column: "deleted", is: false }] },
    ...timeIndexes({ live: { where: [{ column: "deleted", is: false }] } })
  }
})

/** The category with a name, in the form that is compared. */
export const categoriesByName = query(categories, "categoriesByName", (nameKey: string) => [
  { index: "name", equal: { name_key: nameKey } }
])

/** Selects categories by id or, with `time`, by that and then id. */
export interface CategoryQuery {
  /** Only categories behind the one with this id. */
  readonly after: number
  readonly time?: TimePlace | undefined
}

const rangesOfCategories = ({ after, time }: CategoryQuery) => [
  time === undefined
    ? { index: "live", after: [after] }
    : { index: timeIndexOf(time, "live"), ...timeRange(time, after) }
]

/** The categories after an id, in ascending order. */
export const categoriesAfter = query(categories, "categoriesAfter", rangesOfCategories)

/** The same categories in the reversed order. */
export const categoriesBefore = query(categories, "categoriesBefore", rangesOfCategories, { isReversed: true })
