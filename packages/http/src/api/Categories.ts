import { Category, CategoryUpdate, NewCategory } from "@petstore/core/domain"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { EntityTag, Errors, IdempotencyKey, Location, Scopes } from "./annotations.ts"
import { IdParameter, pageParameters } from "./parameters.ts"

const params = { categoryId: IdParameter }

const listCategories = HttpApiEndpoint.get("listCategories", "/categories", {
  disableCodecs: true,
  query: pageParameters,
  success: Schema.Array(Category)
})
  .annotate(OpenApi.Summary, "List categories")
  .annotate(Scopes, ["pets:read"])

const createCategory = HttpApiEndpoint.post("createCategory", "/categories", {
  disableCodecs: true,
  payload: NewCategory,
  success: Category.pipe(HttpApiSchema.status(201))
})
  .annotate(OpenApi.Summary, "Create a category")
  .annotate(Scopes, ["pets:write"])
  .annotate(IdempotencyKey, "honoured")
  .annotate(EntityTag, "version")
  .annotate(Location, "/categories/:id")
  .annotate(Errors, ["category_name_taken"])

const getCategory = HttpApiEndpoint.get("getCategory", "/categories/:categoryId", {
  disableCodecs: true,
  params,
  success: Category
})
  .annotate(OpenApi.Summary, "Read a category")
  .annotate(Scopes, ["pets:read"])
  .annotate(EntityTag, "version")
  .annotate(Errors, ["not_found"])

const updateCategory = HttpApiEndpoint.patch("updateCategory", "/categories/:categoryId", {
  disableCodecs: true,
  params,
  payload: CategoryUpdate,
  success: Category
})
  .annotate(OpenApi.Summary, "Change a category")
  .annotate(Scopes, ["pets:write"])
  .annotate(EntityTag, "version")
  .annotate(Errors, ["not_found", "category_name_taken"])

const deleteCategory = HttpApiEndpoint.delete("deleteCategory", "/categories/:categoryId", {
  disableCodecs: true,
  params
})
  .annotate(OpenApi.Summary, "Delete a category")
  .annotate(Scopes, ["pets:write"])
  .annotate(EntityTag, "version")
  .annotate(Errors, ["not_found", "category_in_use"])

/** The kinds of animals. */
export class CategoriesGroup extends HttpApiGroup.make("categories")
  .add(listCategories, createCategory, getCategory, updateCategory, deleteCategory)
  .annotate(OpenApi.Title, "Pets") {}
