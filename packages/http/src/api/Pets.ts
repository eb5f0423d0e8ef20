import {
  IncludedRecord,
  limits,
  NewPet,
  NewPets,
  Pet,
  PetFilter,
  PetStatus,
  PetUpdate,
  PetWithInventory
} from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { luna, recordParameterDocs, rex, stock, texts } from "./examples.ts"
import { operation } from "./operation.ts"
import {
  countParameter,
  IdParameter,
  IdsParameter,
  includeParameter,
  pageParameters,
  recordParameters,
  withRecord
} from "./parameters.ts"

const params = { petId: IdParameter }

const ShownPet = withRecord("ShownPet", Pet, IncludedRecord)

const Pets = Schema.Array(Pet).annotate({ identifier: "Pets" })

const listPets = operation("listPets", "GET", "/pets", {
  useCase: "pets.list",
  query: {
    status: PetFilter.fields.status,
    categoryId: Schema.optionalKey(IdParameter),
    name: PetFilter.fields.name,
    search: PetFilter.fields.search,
    id: Schema.optionalKey(IdsParameter),
    sort: PetFilter.fields.sort,
    ...recordParameters,
    ...includeParameter,
    ...countParameter,
    ...pageParameters
  },
  success: Schema.Array(ShownPet),
  scopes: ["pets:read"]
})
export const listPetsDocs = (): OperationDocs<typeof listPets> => ({
  summary: "List pets",
  description:
    "Returns a page of the pets that match all filters, sorted by id unless `sort` or a filter by time says otherwise. With `name`, pets are sorted by name (by code point), then by id. A cursor works only with the same `sort`.",
  query: {
    status: { description: "Only pets with this status." },
    categoryId: { description: "Only pets in this category." },
    name: {
      description: "Only pets whose name starts with this text (case-sensitive). The list is then sorted by name.",
      example: "Re"
    },
    search: {
      description: `Only pets whose name has all of these words, in any order, each at least as the beginning of a longer one; case and accents do not matter. At most ${limits.searchedWords} different words. Fails with \`validation_failed\` unless the server runs with \`--search words\`.`,
      example: "cafe creme"
    },
    id: {
      description: `Only these pets. Repeat the parameter for each id, at most ${limits.ids} times. The page contains all of them unless \`limit\` is sent.`,
      example: [1, 2]
    },
    sort: {
      description:
        "The order: by id, or by name (by code point) or a time and then by id; `-` is for descending. With the filter `name`, only `name` and `-name`; with one by a time, only that time.",
      example: "-id"
    },
    ...recordParameterDocs,
    include: { description: texts.include },
    count: { description: texts.count }
  },
  success: "A page of pets.",
  response: [rex, { ...luna, status: "pending" }],
  stability: "stable"
})

const createPet = operation("createPet", "POST", "/pets", {
  useCase: "pets.create",
  body: NewPet,
  success: Pet,
  status: 201,
  scopes: ["pets:write"],
  idempotencyKey: "honoured",
  entityTag: "pet",
  location: "/store/pets/:id"
})
export const createPetDocs = (): OperationDocs<typeof createPet> => ({
  summary: "Create a pet",
  description: "Creates a pet in an existing category, together with its stock.",
  request: { name: rex.name, categoryId: rex.categoryId },
  success: "The pet was created.",
  response: rex,
  stability: "stable"
})

const createPets = operation("createPets", "POST", "/pets/batch", {
  useCase: "pets.createAll",
  body: NewPets,
  success: Pets,
  status: 201,
  scopes: ["pets:write"],
  idempotencyKey: "honoured"
})
export const createPetsDocs = (): OperationDocs<typeof createPets> => ({
  summary: "Create several pets",
  description: `Creates 1 to ${limits.batch} pets: all of them, or none if one is rejected. \`details.index\` of the error is the place of that pet in the request, from 0.`,
  request: { pets: [{ name: luna.name, categoryId: luna.categoryId }] },
  success: "The pets were created. They are in the order of the request.",
  response: [luna],
  stability: "beta"
})

const getPet = operation("getPet", "GET", "/pets/:petId", {
  useCase: "pets.get",
  params,
  query: includeParameter,
  success: ShownPet,
  scopes: ["pets:read"],
  entityTag: "pet",
  deprecation: { announced: "2026-12-05", sunset: "2030-12-05", successor: "/store/pets/:petId" }
})
export const getPetDocs = (): OperationDocs<typeof getPet> => ({
  summary: "Get a pet",
  description: "Returns a pet without its stock.",
  query: { include: { description: texts.include } },
  success: "The pet.",
  response: rex,
  stability: "stable"
})

const getPetWithInventory = operation("getPetWithInventory", "GET", "/store/pets/:petId", {
  useCase: "pets.getWithInventory",
  params,
  query: includeParameter,
  success: PetWithInventory,
  scopes: ["pets:read", "inventory:read"],
  entityTag: "pet+stock"
})
export const getPetWithInventoryDocs = (): OperationDocs<typeof getPetWithInventory> => ({
  summary: "Get a pet and its stock",
  description:
    "Returns a pet and its stock as of the same moment. The entity tag covers both: send it as `If-Match` to change either.",
  query: { include: { description: texts.include } },
  success: "The pet and its stock.",
  response: { ...rex, inventory: stock },
  stability: "stable"
})

const updatePet = operation("updatePet", "PATCH", "/pets/:petId", {
  useCase: "pets.update",
  params,
  body: PetUpdate,
  success: Pet,
  scopes: ["pets:write"],
  idempotencyKey: "honoured",
  entityTag: "pet"
})
export const updatePetDocs = (): OperationDocs<typeof updatePet> => ({
  summary: "Update a pet",
  description: `${texts.update} The status \`pending\` puts the pet on hold: it takes no new orders. \`available\` ends the hold. \`sold\` writes off the units on hand; it fails with \`pet_has_open_orders\` while the pet has open orders. To sell a sold pet again, set its stock.`,
  request: { name: "Rexy" },
  success: "The pet after the change.",
  response: { ...rex, name: "Rexy" },
  stability: "stable"
})

const deletePet = operation("deletePet", "DELETE", "/pets/:petId", {
  useCase: "pets.delete",
  params,
  scopes: ["pets:write"],
  idempotencyKey: "honoured",
  entityTag: "pet"
})
export const deletePetDocs = (): OperationDocs<typeof deletePet> => ({
  summary: "Delete a pet",
  description:
    "Deletes a pet and its stock. Fails with `pet_has_open_orders` while the pet has open orders. The id is never reused.",
  success: "The pet was deleted.",
  stability: "stable"
})

/** What the fields of a pet are, in requests, results and events. */
export const petFields = {
  name: "The animal's name.",
  categoryId: "The ID of the category the animal belongs to.",
  status: "Status of the pet."
}

export const petsDocs = () => {
  const pet = { id: texts.id, ...petFields }
  return {
    parameters: { petId: { description: "The pet.", example: rex.id } },
    schemas: [
      describeSchema(
        NewPet,
        `The pet to create. It starts with one unit on hand if \`status\` is \`available\` or absent, with one unit and on hold if it is \`pending\`, and without units if it is \`sold\`. ${texts.stored}`,
        petFields
      ),
      describeSchema(NewPets, "The pets to create.", { pets: "The pets, in any order." }),
      describeSchema(Pet, "A pet.", pet, ["id"]),
      describeSchema(Pets, "Several pets."),
      describeSchema(PetUpdate, `Changes to a pet. ${texts.partial}`, pet, ["id"]),
      describeSchema(
        PetWithInventory,
        "A pet and its stock as of the same moment.",
        { ...pet, inventory: "The stock of the pet.", record: texts.record },
        ["id"]
      ),
      describeSchema(
        ShownPet,
        "A pet, with its record if `include=record` is sent.",
        { ...pet, record: texts.record },
        ["id"]
      ),
      describeSchema(
        PetStatus,
        "`available`: units can be ordered. `pending`: units are on hand, but all of them are reserved or the pet is on hold. `sold`: no units are on hand."
      )
    ]
  }
}

export const petsOperations = {
  tag: "Pets",
  operations: [listPets, createPet, createPets, getPet, getPetWithInventory, updatePet, deletePet]
}
