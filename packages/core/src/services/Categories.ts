import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { amend, Category, type CategoryUpdate, type NewCategory, sameCategory } from "../domain/Category.ts"
import { newEvent } from "../domain/Event.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { CategoryInUse, CategoryNameTaken } from "../domain/errors/PetErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { PageQuery } from "../domain/Filters.ts"
import type { Page } from "../domain/Page.ts"
import { nameKey } from "../domain/Text.ts"
import type { CategoryRecord } from "../ports/CategoryRows.ts"
import { Storage } from "../ports/Storage.ts"
import { Idempotency, type IdempotencyError } from "./Idempotency.ts"
import { Journal } from "./Journal.ts"
import { type CallOptions, type ChangeOptions, type CreateOptions, type Versioned, versioned } from "./Options.ts"
import { paginate } from "./pagination.ts"
import { checkVersion } from "./precondition.ts"
import type { UseCases } from "./UseCases.ts"

/** The methods of `petstore.categories`. */
export interface CategoryMethods<Options extends CallOptions = CallOptions> {
  /** Creates a category. Fails with `category_name_taken`; names that differ in case alone are the same. */
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

/** The use cases of categories. Inputs are decoded already. */
export class Categories extends Context.Service<
  Categories,
  UseCases<
    CategoryMethods,
    {
      create: CategoryNameTaken | IdempotencyError
      get: NotFound
      list: InvalidCursor
      update: NotFound | PreconditionFailed | CategoryNameTaken
      delete: NotFound | PreconditionFailed | CategoryInUse
    }
  >
>()("@petstore/core/services/Categories") {
  static readonly layer = Layer.effect(
    Categories,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency
      const journal = yield* Journal
      const { categories, pets } = storage

      const resultSchema = versioned(Category)
      const found = (id: number) => (record: CategoryRecord | undefined) =>
        record === undefined ? Effect.fail(NotFound.of("category", id)) : Effect.succeed(record)
      const taken = (name: string) => () => new CategoryNameTaken({ name })

      return {
        create: (input, options) =>
          idempotency.once(
            "categories.create",
            input,
            resultSchema,
            options,
            Effect.gen(function* () {
              const at = yield* journal.now
              const id = yield* categories
                .insert({ category: input, nameKey: nameKey(input.name), version: 1 })
                .pipe(Effect.catchTag("Duplicate", () => Effect.fail(taken(input.name)())))
              const data = { id, ...input, version: 1 }
              yield* journal.record(at, [newEvent("category.created", data)])
              return data
            })
          ),

        get: (id) =>
          Effect.map(Effect.flatMap(categories.find(id), found(id)), ({ category, version }) => ({
            ...category,
            version
          })),

        list: (query = {}) =>
          paginate(
            query,
            { list: "categories", start: 0, position: ({ category }: CategoryRecord) => category.id },
            categories.list,
            ({ category }) => category
          ),

        update: (id, update, options) =>
          storage.transact(
            Effect.gen(function* () {
              const record = yield* Effect.flatMap(categories.lock(id), found(id))
              yield* checkVersion(record.version, options)
              const category = amend(record.category, update)
              if (sameCategory(category, record.category)) return { ...record.category, version: record.version }
              const at = yield* journal.now
              const version = record.version + 1
              yield* categories
                .save({ ...record, category, version, nameKey: nameKey(category.name) })
                .pipe(Effect.catchTag("Duplicate", () => Effect.fail(taken(category.name)())))
              const data = { ...category, version }
              yield* journal.record(at, [newEvent("category.updated", data)])
              return data
            }),
            "categories.update"
          ),

        delete: (id, options) =>
          storage.transact(
            Effect.gen(function* () {
              const record = yield* Effect.flatMap(categories.lock(id), found(id))
              yield* checkVersion(record.version, options)
              if (yield* pets.anyInCategory(id)) return yield* new CategoryInUse({ categoryId: id })
              const at = yield* journal.now
              yield* categories.save({ ...record, deleted: true }).pipe(Effect.catchTag("Duplicate", Effect.die))
              yield* journal.record(at, [newEvent("category.deleted", { id })])
            }),
            "categories.delete"
          )
      }
    })
  )
}
