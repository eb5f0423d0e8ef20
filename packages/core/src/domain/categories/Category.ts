/** Categories, and the rules of their changes. Pure functions. */

import * as Schema from "effect/Schema"
import { Id } from "../Id.ts"
import { limits } from "../limits.ts"
import type { MethodInputs } from "../MethodInput.ts"
import { ListSort, PageQuery } from "../PageQuery.ts"
import { includeField } from "../records/IncludedRecord.ts"
import { recordFilters, timeSorts } from "../records/ListFilter.ts"
import { line, prose } from "../Text.ts"

/** The name of a category: one line of 1 to 100 characters, kept trimmed and in NFC; unique without regard to case. */
export const CategoryName = line(limits.categoryName)

/** What a category is about: text of up to 1,000 characters. */
export const CategoryDescription = prose(0, limits.description)

/** The input of a new category. */
export const NewCategory = Schema.Struct({
  name: CategoryName,
  description: Schema.optionalKey(CategoryDescription)
}).annotate({ identifier: "NewCategory" })
export interface NewCategory extends Schema.Schema.Type<typeof NewCategory> {}

/** A category. */
export const Category = Schema.Struct({
  id: Id,
  name: Schema.String,
  description: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Category" })
export interface Category extends Schema.Schema.Type<typeof Category> {}

/** Which categories to list. */
export const CategoryFilter = Schema.Struct({
  ...PageQuery.fields,
  ...includeField,
  ...recordFilters,
  /** Default: `id`, or the time of the filter. */
  sort: Schema.optionalKey(Schema.Literals([...ListSort.literals, ...timeSorts]))
})
export interface CategoryFilter extends Omit<Schema.Schema.Type<typeof CategoryFilter>, "include"> {}

/** A change of a category: absent fields stay as they are, and a description of null removes it. */
export const CategoryUpdate = Schema.Struct({
  /** Read-only: accepted and ignored. */
  id: Schema.optionalKey(Id),
  name: Schema.optionalKey(CategoryName),
  description: Schema.optionalKey(Schema.NullOr(CategoryDescription))
}).annotate({ identifier: "CategoryUpdate" })
export interface CategoryUpdate extends Schema.Schema.Type<typeof CategoryUpdate> {}

/** The category after a change. */
export const amend = (category: Category, update: CategoryUpdate): Category => {
  const description = update.description === undefined ? category.description : (update.description ?? undefined)
  return {
    id: category.id,
    name: update.name ?? category.name,
    ...(description === undefined ? {} : { description })
  }
}

/** Whether two categories look the same to callers. */
export const sameCategory = (a: Category, b: Category): boolean => a.name === b.name && a.description === b.description

/** What the methods of `categories` take. */
export const categoryInputs = {
  create: { body: NewCategory, options: { idempotencyKey: true }, errors: ["category_name_taken"] },
  get: { path: { categoryId: Id }, options: { include: true }, errors: ["not_found"] },
  list: { query: CategoryFilter, errors: ["not_indexed"] },
  update: {
    path: { categoryId: Id },
    body: CategoryUpdate,
    options: { idempotencyKey: true, ifVersion: true },
    errors: ["not_found", "category_name_taken"]
  },
  delete: {
    path: { categoryId: Id },
    options: { idempotencyKey: true, ifVersion: true },
    errors: ["not_found", "category_in_use"]
  }
} as const satisfies MethodInputs
