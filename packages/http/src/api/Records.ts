import {
  ExternalId,
  IncludedOrderRecord,
  IncludedRecord,
  limits,
  Metadata,
  OrderEnding,
  OrderOwner,
  type RecordKind,
  RecordUpdate,
  ResourceRecord
} from "@petstore/core/domain"
import { describeSchema } from "./docs.ts"
import { record, texts } from "./examples.ts"
import { type Contract, operation } from "./operation.ts"
import { IdParameter } from "./parameters.ts"

const read = (resource: string) => ({
  summary: `Get the record of ${resource}`,
  description: `Returns when ${resource} was created and last changed, its external id and its metadata.`,
  success: "The record.",
  response: record,
  stability: "beta" as const
})

const find = (resource: string) => ({
  summary: `Find ${resource} by its external id`,
  description: `Returns the record of ${resource}, with its \`id\`, by the id that it has in another system.`,
  success: "The record.",
  response: record,
  stability: "beta" as const
})

const change = (resource: string) => ({
  summary: `Update the record of ${resource}`,
  description: `Changes the external id and the keys of the metadata that are sent, and keeps the others. \`null\` or an empty text removes one. The entity tag of ${resource} stays; that of the record changes with either, as \`updatedAt\` does.`,
  request: { externalId: record.externalId, metadata: record.metadata },
  success: "The record after the change.",
  response: record,
  stability: "beta" as const
})

/** The operations on the records of one kind of resource. `path` is that of all resources, `idPath` that of one, without the first slash. */
const operationsOf = <
  const Name extends string,
  const Path extends string,
  const IdPath extends string,
  const Params extends Readonly<Record<string, typeof IdParameter>>
>(
  name: Name,
  kind: RecordKind,
  [path, idPath, params]: readonly [Path, IdPath, Params],
  reading: Pick<Contract, "ownScope" | "scopes">,
  writing: Pick<Contract, "scopes">
) => ({
  get: operation(`get${name}Record`, "GET", `/${idPath}/record`, {
    useCase: "records.get",
    kind,
    params,
    success: ResourceRecord,
    ...reading,
    entityTag: "record"
  }),
  update: operation(`update${name}Record`, "PATCH", `/${idPath}/record`, {
    useCase: "records.update",
    kind,
    params,
    body: RecordUpdate,
    success: ResourceRecord,
    ...writing,
    idempotencyKey: "honoured",
    entityTag: "record"
  }),
  find: operation(`find${name}Record`, "GET", `/${path}/by-external-id/:externalId/record`, {
    useCase: "records.getByExternalId",
    kind,
    params: { externalId: ExternalId },
    success: ResourceRecord,
    ...reading,
    entityTag: "record"
  })
})

const pet = operationsOf(
  "Pet",
  "pets",
  ["pets", "pets/:petId", { petId: IdParameter }],
  { scopes: ["pets:read"] },
  { scopes: ["pets:write"] }
)
export const getPetRecordDocs = () => read("a pet")
export const updatePetRecordDocs = () => change("a pet")
export const findPetRecordDocs = () => find("a pet")

const category = operationsOf(
  "Category",
  "categories",
  ["categories", "categories/:categoryId", { categoryId: IdParameter }],
  { scopes: ["pets:read"] },
  { scopes: ["pets:write"] }
)
export const getCategoryRecordDocs = () => read("a category")
export const updateCategoryRecordDocs = () => change("a category")
export const findCategoryRecordDocs = () => find("a category")

const order = operationsOf(
  "Order",
  "orders",
  ["store/orders", "store/orders/:orderId", { orderId: IdParameter }],
  { scopes: ["orders:read"], ownScope: "orders:own" },
  { scopes: ["orders:write"] }
)
export const getOrderRecordDocs = () => read("an order")
export const updateOrderRecordDocs = () => change("an order")
export const findOrderRecordDocs = () => find("an order")

/** What is recorded, for its schemas. */
export const recordFields = {
  externalId: "The id of the resource in another system, unique among those of its kind. Absent if it has none.",
  metadata: `Texts of your own by keys: up to ${limits.metadataKeys} keys of ${limits.metadataKey} characters, with texts of ${limits.metadataText}. A key has letters, digits and \`_ . : -\`, and begins with a letter. Callers who can read the resource can read them.`
}

const shown = {
  ...recordFields,
  createdAt: "When the resource was created.",
  updatedAt: "When the resource or its record last changed. The stock of a pet is not part of either."
}

export const recordsDocs = () => ({
  parameters: {
    externalId: { description: "The external id of the resource, percent-encoded.", example: record.externalId }
  },
  schemas: [
    describeSchema(ResourceRecord, "What is recorded about a resource beside its own fields.", {
      id: texts.id,
      ...shown
    }),
    describeSchema(IncludedRecord, "What is recorded about a resource beside its own fields.", shown),
    describeSchema(IncludedOrderRecord, "What is recorded about an order beside its own fields.", {
      ...shown,
      state: "What has become of the order.",
      expiresAt: "When an open order expires, unless it is completed before.",
      owner:
        "Whom the order belongs to. Absent if the owner of the store placed it, and for callers without the scope `orders:owners`.",
      ended:
        "How an order ended that was cancelled or expired. Only lists with `state=cancelled` or `state=expired` have such orders."
    }),
    describeSchema(OrderEnding, "How an order ended that was cancelled or expired.", {
      at: "When it ended.",
      actor: "Who ended it, as in the stock ledger. Absent for callers without the scope `orders:owners`.",
      reason: "What the caller who cancelled it has said. Who sees the order sees it."
    }),
    describeSchema(OrderOwner, "An account, or a user of the app that runs the server.", {
      accountId: "The account; 0 for a user with orders of their own.",
      user: "The actor that the app names. Absent if the order belongs to the account."
    }),
    describeSchema(RecordUpdate, `Changes to a record. ${texts.partial} ${texts.stored}`, recordFields),
    describeSchema(Metadata, "Texts by keys.", {})
  ]
})

export const catalogueRecordsOperations = {
  tag: "Pets",
  operations: [pet.update, pet.get, pet.find, category.update, category.get, category.find]
}

export const orderRecordsOperations = { tag: "Store", operations: [order.update, order.get, order.find] }
