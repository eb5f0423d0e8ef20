import { ExternalId, limits, Metadata, RecordUpdate, ResourceRecord } from "@petstore/core/domain"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { record, texts } from "./examples.ts"
import { operation } from "./operation.ts"
import { IdParameter } from "./parameters.ts"

const externalId = { externalId: ExternalId }

const read = (resource: string) => ({
  summary: `Get the record of ${resource}`,
  description: `Returns when ${resource} was created and last changed, its external id and its metadata.`,
  success: "The record.",
  response: record,
  errors: ["not_found"] as const,
  stability: "beta" as const
})

const find = (resource: string) => ({
  summary: `Find ${resource} by its external id`,
  description: `Returns the record of ${resource}, with its \`id\`, by the id that it has in another system.`,
  success: "The record.",
  response: record,
  errors: ["not_found"] as const,
  stability: "beta" as const
})

const change = (resource: string) => ({
  summary: `Update the record of ${resource}`,
  description: `Changes the external id and the keys of the metadata that are sent, and keeps the others. \`null\` or an empty text removes one. The version of ${resource} stays.`,
  request: { externalId: record.externalId, metadata: record.metadata },
  success: "The record after the change.",
  response: record,
  errors: ["not_found", "external_id_taken"] as const,
  stability: "beta" as const
})

const getPetRecord = operation("getPetRecord", "GET", "/pets/:petId/record", {
  useCase: "records.get",
  kind: "pets",
  params: { petId: IdParameter },
  success: ResourceRecord,
  scopes: ["pets:read"]
})
export const getPetRecordDocs = (): OperationDocs<typeof getPetRecord> => read("a pet")

const updatePetRecord = operation("updatePetRecord", "PATCH", "/pets/:petId/record", {
  useCase: "records.update",
  kind: "pets",
  params: { petId: IdParameter },
  payload: RecordUpdate,
  success: ResourceRecord,
  scopes: ["pets:write"],
  idempotencyKey: "honoured"
})
export const updatePetRecordDocs = (): OperationDocs<typeof updatePetRecord> => change("a pet")

const findPetRecord = operation("findPetRecord", "GET", "/pets/by-external-id/:externalId/record", {
  useCase: "records.getByExternalId",
  kind: "pets",
  params: externalId,
  success: ResourceRecord,
  scopes: ["pets:read"]
})
export const findPetRecordDocs = (): OperationDocs<typeof findPetRecord> => find("a pet")

const getCategoryRecord = operation("getCategoryRecord", "GET", "/categories/:categoryId/record", {
  useCase: "records.get",
  kind: "categories",
  params: { categoryId: IdParameter },
  success: ResourceRecord,
  scopes: ["pets:read"]
})
export const getCategoryRecordDocs = (): OperationDocs<typeof getCategoryRecord> => read("a category")

const updateCategoryRecord = operation("updateCategoryRecord", "PATCH", "/categories/:categoryId/record", {
  useCase: "records.update",
  kind: "categories",
  params: { categoryId: IdParameter },
  payload: RecordUpdate,
  success: ResourceRecord,
  scopes: ["pets:write"],
  idempotencyKey: "honoured"
})
export const updateCategoryRecordDocs = (): OperationDocs<typeof updateCategoryRecord> => change("a category")

const findCategoryRecord = operation("findCategoryRecord", "GET", "/categories/by-external-id/:externalId/record", {
  useCase: "records.getByExternalId",
  kind: "categories",
  params: externalId,
  success: ResourceRecord,
  scopes: ["pets:read"]
})
export const findCategoryRecordDocs = (): OperationDocs<typeof findCategoryRecord> => find("a category")

const getOrderRecord = operation("getOrderRecord", "GET", "/store/orders/:orderId/record", {
  useCase: "records.get",
  kind: "orders",
  params: { orderId: IdParameter },
  success: ResourceRecord,
  scopes: ["orders:read"],
  ownScope: "orders:own"
})
export const getOrderRecordDocs = (): OperationDocs<typeof getOrderRecord> => read("an order")

const updateOrderRecord = operation("updateOrderRecord", "PATCH", "/store/orders/:orderId/record", {
  useCase: "records.update",
  kind: "orders",
  params: { orderId: IdParameter },
  payload: RecordUpdate,
  success: ResourceRecord,
  scopes: ["orders:write"],
  idempotencyKey: "honoured"
})
export const updateOrderRecordDocs = (): OperationDocs<typeof updateOrderRecord> => change("an order")

const findOrderRecord = operation("findOrderRecord", "GET", "/store/orders/by-external-id/:externalId/record", {
  useCase: "records.getByExternalId",
  kind: "orders",
  params: externalId,
  success: ResourceRecord,
  scopes: ["orders:read"],
  ownScope: "orders:own"
})
export const findOrderRecordDocs = (): OperationDocs<typeof findOrderRecord> => find("an order")

/** What is recorded, for its schemas. */
export const recordFields = {
  externalId: "The id of the resource in another system, unique among those of its kind. Absent if it has none.",
  metadata: `Texts of your own by keys: up to ${limits.metadataKeys} keys of ${limits.metadataKey} characters, with texts of ${limits.metadataText}. A key has letters, digits and \`_ . : -\`, and begins with a letter. Whoever can read the resource can read them.`
}

export const recordsDocs = () => ({
  parameters: {
    externalId: { description: "The external id of the resource, percent-encoded.", example: record.externalId }
  },
  schemas: [
    describeSchema(ResourceRecord, "What is recorded about a resource beside its own fields.", {
      id: texts.id,
      ...recordFields,
      createdAt: "When the resource was created.",
      updatedAt: "When the resource or its record last changed. The stock of a pet is not part of either."
    }),
    describeSchema(RecordUpdate, `Changes to a record. ${texts.partial} ${texts.stored}`, recordFields),
    describeSchema(Metadata, "Texts by keys.", {})
  ]
})

/** The operations on the records of pets and categories. */
export class CatalogueRecordsGroup extends HttpApiGroup.make("catalogueRecords")
  .add(getPetRecord, updatePetRecord, findPetRecord, getCategoryRecord, updateCategoryRecord, findCategoryRecord)
  .annotate(OpenApi.Title, "Pets") {}

/** The operations on the records of orders. */
export class OrderRecordsGroup extends HttpApiGroup.make("orderRecords")
  .add(getOrderRecord, updateOrderRecord, findOrderRecord)
  .annotate(OpenApi.Title, "Store") {}
