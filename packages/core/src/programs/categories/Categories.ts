import {
  amend,
  type Category,
  type CategoryFilter,
  type CategoryUpdate,
  type NewCategory,
  sameCategory
} from "../../domain/categories/Category.ts"
import { newEvent } from "../../domain/events/Event.ts"
import { CategoryInUse, CategoryNameTaken } from "../../domain/pets/PetErrors.ts"
import type { Include, IncludedRecord, IncludeOption, Shown, ShownPage } from "../../domain/records/IncludedRecord.ts"
import type { Metadata } from "../../domain/records/ResourceRecord.ts"
import { nameKey } from "../../domain/Text.ts"
import { type Command, fail } from "../../kernel/Command.ts"
import type { CategoryQuery } from "../../tables/categoryTable.ts"
import {
  categoriesAfter,
  categoriesBefore,
  categoriesByName,
  petsInCategory,
  categories as table
} from "../../tables/index.ts"
import { timeOrderOf } from "../../tables/TimeOrder.ts"
import type { Call, Reading } from "../Call.ts"
import { changeOf, once } from "../idempotency/once.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, ChangeOptions, CreateOptions, Versioned } from "../Options.ts"
import { directionOf, pageOf } from "../pagination.ts"
import { lockVersion } from "../precondition.ts"
import { pageWithRecords, removeRecord, withRecord } from "../records/recordCommands.ts"
import { pageByMetadata, pageByTime } from "../records/recordLists.ts"

/** The methods of `petstore.categories`. */
export interface CategoryMethods<Options extends CallOptions = CallOptions, M extends Metadata = Metadata> {
  /** Creates a category. Fails with `category_name_taken`; names that differ only in case are the same. */
  create(category: NewCategory, options?: CreateOptions & Options): Promise<Versioned<Category>>
  /** Reads a category. Fails with `not_found`. */
  get<I extends Include = undefined>(
    categoryId: number,
    options?: IncludeOption<I> & Options
  ): Promise<Shown<Versioned<Category>, IncludedRecord<M>, I>>
  /** Lists one page of categories: in ascending order of ids, or as `sort` says. */
  list<I extends Include = undefined>(
    filter?: CategoryFilter & IncludeOption<I>,
    options?: Options
  ): Promise<ShownPage<Category, IncludedRecord<M>, I>>
  /** Iterates over all categories, a page at a time. */
  all<I extends Include = undefined>(
    filter?: CategoryFilter & IncludeOption<I>,
    options?: Options
  ): AsyncIterable<Shown<Category, IncludedRecord<M>, I>>
  /** Updates the fields that are present; a description of null removes it. Fails with `not_found`, `precondition_failed`, `category_name_taken`. */
  update(categoryId: number, update: CategoryUpdate, options?: ChangeOptions & Options): Promise<Versioned<Category>>
  /** Deletes a category that has no pets. Fails with `not_found`, `precondition_failed`, `category_in_use`. */
  delete(categoryId: number, options?: ChangeOptions & Options): Promise<void>
}

function* checkName({ tx }: Call, name: string): Command<void, CategoryNameTaken> {
  if ((yield* tx.first(categoriesByName, nameKey(name))) !== undefined) yield* fail(new CategoryNameTaken({ name }))
}

/** Adds a category. */
export function* createCategory(call: Call, input: NewCategory): Command<Versioned<Category>, CategoryNameTaken> {
  yield* checkName(call, input.name)
  const at = call.now()
  const row = { nameKey: nameKey(input.name), version: 1, createdAt: at, updatedAt: at, deleted: false }
  const { category } = yield* call.tx.insert(table, (id) => ({ ...row, category: { id, ...input } }))
  const data = { id: category.id, ...input, version: 1 }
  call.record(at, [newEvent("category.created", data)])
  return data
}

/** A page of categories by metadata or by a time; undefined for the other lists. */
function* pageByRecord(reading: Reading, { metadata, ...filter }: CategoryFilter) {
  if (metadata !== undefined) return yield* pageByMetadata(reading, "categories", table, metadata, filter)
  const order = yield* timeOrderOf(filter)
  if (order === undefined) return undefined
  const by = order.isReversed ? categoriesBefore : categoriesAfter
  const list = {
    order,
    sort: filter.sort,
    filters: {},
    rows: (place: CategoryQuery, limit: number) => reading.rows.all(by, place, limit)
  }
  return yield* pageByTime(reading, "categories", filter, list, table.keyOf)
}

export const categoryQueries = {
  *get(reading: Reading, id: number, { include }: IncludeOption = {}) {
    if (include !== undefined) yield* reading.rows.together()
    const row = (yield* reading.rows.find(table, id)) ?? (yield* notFound("category", id))
    const shown = { ...row.category, version: row.version }
    return include === undefined ? shown : yield* withRecord(reading, "categories", row, shown)
  },

  *list(reading: Reading, { include, ...filter }: CategoryFilter & IncludeOption = {}) {
    if (include !== undefined) yield* reading.rows.together()
    const { by, sort, start } = directionOf(filter.sort, categoriesAfter, categoriesBefore)
    const special = yield* pageByRecord(reading, filter)
    const page =
      special ??
      (yield* pageOf(filter, {
        list: "categories",
        filters: { sort },
        start,
        rows: (after, limit) => reading.rows.all(by, { after }, limit),
        position: ({ category }) => category.id,
        item: (row) => row
      }))
    return include === undefined
      ? { ...page, items: page.items.map(({ category }) => category) }
      : yield* pageWithRecords(reading, "categories", page, ({ category }, record) => ({ ...category, record }))
  }
}

export const categoryCommands = {
  *create(call: Call, input: NewCategory, options?: CreateOptions) {
    yield* once(call, "categories.create", options, () => input)
    return yield* createCategory(call, input)
  },

  *update(call: Call, id: number, update: CategoryUpdate, options?: ChangeOptions) {
    yield* once(call, "categories.update", options, () => changeOf(id, options, update))
    const record = yield* lockVersion(call, table, id, "category", options)
    const category = amend(record.category, update)
    if (sameCategory(category, record.category)) return { ...record.category, version: record.version }
    const renamed = { ...record, category, version: record.version + 1, nameKey: nameKey(category.name) }
    if (renamed.nameKey !== record.nameKey) yield* checkName(call, category.name)
    const at = call.now()
    call.tx.save(table, { ...renamed, updatedAt: at })
    const data = { ...category, version: renamed.version }
    call.record(at, [newEvent("category.updated", data)])
    return data
  },

  *delete(call: Call, id: number, options?: ChangeOptions) {
    yield* once(call, "categories.delete", options, () => changeOf(id, options))
    const record = yield* lockVersion(call, table, id, "category", options)
    if ((yield* call.tx.first(petsInCategory, id)) !== undefined) {
      return yield* fail(new CategoryInUse({ categoryId: id }))
    }
    const at = call.now()
    call.tx.save(table, { ...record, updatedAt: at, deleted: true })
    yield* removeRecord(call, "categories", id)
    call.record(at, [newEvent("category.deleted", { id })])
    return { id }
  }
}
