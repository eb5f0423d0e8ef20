import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type { NotFound, PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import { nameKey } from "../domain/Text.ts"
import { type Command, fail } from "../engine/Command.ts"
import { newEvent } from "../events/Event.ts"
import { changeOf, deletion, Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import { CategoryInUse, CategoryNameTaken } from "../pets/PetErrors.ts"
import { map } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import { removeRecord } from "../records/recordCommands.ts"
import type { Call } from "../services/Call.ts"
import { found } from "../services/found.ts"
import type { CallOptions, ChangeOptions, CreateOptions, Versioned } from "../services/Options.ts"
import { paginate } from "../services/pagination.ts"
import { lockVersion } from "../services/precondition.ts"
import type { UseCases } from "../services/UseCases.ts"
import { categoriesAfter, categoriesByName, petsInCategory, categories as table } from "../tables/index.ts"
import { amend, type Category, type CategoryUpdate, type NewCategory, sameCategory } from "./Category.ts"
import type { CategoryRecord } from "./categoryTable.ts"

/** The methods of `petstore.categories`. */
export interface CategoryMethods<Options extends CallOptions = CallOptions> {
  /** Creates a category. Fails with `category_name_taken`; names that differ only in case are the same. */
  create(category: NewCategory, options?: CreateOptions & Options): Promise<Versioned<Category>>
  /** Reads a category. Fails with `not_found`. */
  get(categoryId: number, options?: Options): Promise<Versioned<Category>>
  /** Lists one page of categories, in ascending order of ids. */
  list(query?: PageQuery, options?: Options): Promise<Page<Category>>
  /** Iterates over the categories of all pages. */
  all(query?: PageQuery, options?: Options): AsyncIterable<Category>
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

/** The use cases of categories. Inputs are decoded already. */
export class Categories extends Context.Service<
  Categories,
  UseCases<
    CategoryMethods,
    {
      create: CategoryNameTaken | IdempotencyError
      get: NotFound
      list: InvalidCursor
      update: NotFound | PreconditionFailed | CategoryNameTaken | IdempotencyError
      delete: NotFound | PreconditionFailed | CategoryInUse | IdempotencyError
    }
  >
>()("@petstore/core/categories/Categories") {
  static readonly layer = Layer.effect(
    Categories,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency

      return {
        create: (input, options) =>
          idempotency.once("categories.create", input, options, (call) => createCategory(call, input)),

        get: (id) =>
          map(found("category", id, storage.find(table, id)), ({ category, version }) => ({
            ...category,
            version
          })),

        list: (query = {}) =>
          paginate(
            query,
            { list: "categories", start: 0, position: ({ category }: CategoryRecord) => category.id },
            (after, limit) => storage.select(categoriesAfter, after, limit),
            ({ category }) => category
          ),

        update: (id, update, options) =>
          idempotency.once("categories.update", changeOf(id, options, update), options, function* (call) {
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
          }),

        delete: (id, options) =>
          map(
            idempotency.once("categories.delete", changeOf(id, options), options, function* (call) {
              const record = yield* lockVersion(call, table, id, "category", options)
              if ((yield* call.tx.first(petsInCategory, id)) !== undefined) {
                return yield* fail(new CategoryInUse({ categoryId: id }))
              }
              const at = call.now()
              call.tx.save(table, { ...record, updatedAt: at, deleted: true })
              yield* removeRecord(call, "categories", id)
              call.record(at, [newEvent("category.deleted", { id })])
              return { id }
            }),
            deletion
          )
      }
    })
  )
}
