import { Category, CategoryFilter, CategoryUpdate, IncludedRecord, NewCategory } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { cats, dogs, recordParameterDocs, texts } from "./examples.ts"
import { operation } from "./operation.ts"
import { IdParameter, includeParameter, pageParameters, recordParameters, withRecord } from "./parameters.ts"

const params = { categoryId: IdParameter }

const ShownCategory = withRecord("ShownCategory", Category, IncludedRecord)

const listCategories = operation("listCategories", "GET", "/categories", {
  useCase: "categories.list",
  query: {
    sort: CategoryFilter.fields.sort,
    ...recordParameters,
    ...includeParameter,
    ...pageParameters
  },
  success: Schema.Array(ShownCategory),
  scopes: ["pets:read"]
})
export const listCategoriesDocs = (): OperationDocs<typeof listCategories> => ({
  summary: "List categories",
  description: "Returns a page of categories, sorted by id unless `sort` or a filter by time says otherwise.",
  query: {
    sort: {
      description:
        "The order: by id, or by a time and then by id; `-` is for descending. A cursor works only with the same order.",
      example: "-id"
    },
    ...recordParameterDocs,
    include: { description: texts.include }
  },
  success: "A page of categories.",
  response: [dogs],
  stability: "stable"
})

const createCategory = operation("createCategory", "POST", "/categories", {
  useCase: "categories.create",
  body: NewCategory,
  success: Category,
  status: 201,
  scopes: ["pets:write"],
  idempotencyKey: "honoured",
  entityTag: "version",
  location: "/categories/:id"
})
export const createCategoryDocs = (): OperationDocs<typeof createCategory> => ({
  summary: "Create a category",
  description: "Creates a category. Names are unique, ignoring case.",
  request: { name: dogs.name, description: dogs.description },
  success: "The category was created.",
  response: dogs,
  another: { request: { name: cats.name }, response: cats },
  stability: "stable"
})

const getCategory = operation("getCategory", "GET", "/categories/:categoryId", {
  useCase: "categories.get",
  params,
  query: includeParameter,
  success: ShownCategory,
  scopes: ["pets:read"],
  entityTag: "version"
})
export const getCategoryDocs = (): OperationDocs<typeof getCategory> => ({
  summary: "Get a category",
  description: "Returns a category.",
  query: { include: { description: texts.include } },
  success: "The category.",
  response: dogs,
  stability: "stable"
})

const updateCategory = operation("updateCategory", "PATCH", "/categories/:categoryId", {
  useCase: "categories.update",
  params,
  body: CategoryUpdate,
  success: Category,
  scopes: ["pets:write"],
  idempotencyKey: "honoured",
  entityTag: "version"
})
export const updateCategoryDocs = (): OperationDocs<typeof updateCategory> => ({
  summary: "Update a category",
  description: texts.update,
  request: { description: null },
  success: "The category after the change.",
  response: { id: dogs.id, name: dogs.name },
  stability: "stable"
})

const deleteCategory = operation("deleteCategory", "DELETE", "/categories/:categoryId", {
  useCase: "categories.delete",
  params,
  scopes: ["pets:write"],
  idempotencyKey: "honoured",
  entityTag: "version"
})
export const deleteCategoryDocs = (): OperationDocs<typeof deleteCategory> => ({
  summary: "Delete a category",
  description: "Deletes a category. Fails with `category_in_use` while it has pets. The id is never reused.",
  success: "The category was deleted.",
  params: { categoryId: cats.id },
  stability: "stable"
})

export const categoriesDocs = () => {
  const newCategory = { name: "The category name.", description: "A short description of the category." }
  const category = { id: texts.id, ...newCategory }
  return {
    parameters: { categoryId: { description: "The category.", example: dogs.id } },
    schemas: [
      describeSchema(NewCategory, `The category to create. ${texts.stored}`, newCategory),
      describeSchema(Category, "A category of animals.", category, ["id"]),
      describeSchema(
        ShownCategory,
        "A category, with its record if `include=record` is sent.",
        {
          ...category,
          record: texts.record
        },
        ["id"]
      ),
      describeSchema(
        CategoryUpdate,
        `Changes to a category. ${texts.partial} A \`description\` of null removes the description.`,
        category,
        ["id"]
      )
    ]
  }
}

export const categoriesOperations = {
  tag: "Pets",
  operations: [listCategories, createCategory, getCategory, updateCategory, deleteCategory]
}
