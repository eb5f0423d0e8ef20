import { NewPet, Pet, PetFilter, PetUpdate, PetWithInventory } from "@petstore/core/domain"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { EntityTag, Errors, HostRules, IdempotencyKey, Location, Marks, Scopes } from "./annotations.ts"
import { IdParameter, IdsParameter, pageParameters } from "./parameters.ts"

const params = { petId: IdParameter }

const listPets = HttpApiEndpoint.get("listPets", "/pets", {
  disableCodecs: true,
  query: {
    status: PetFilter.fields.status,
    categoryId: Schema.optionalKey(IdParameter),
    name: PetFilter.fields.name,
    id: Schema.optionalKey(IdsParameter),
    ...pageParameters
  },
  success: Schema.Array(Pet).annotate({ identifier: "Pets" })
})
  .annotate(OpenApi.Summary, "List pets")
  .annotate(Scopes, ["pets:read"])

const createPet = HttpApiEndpoint.post("createPet", "/pets", {
  disableCodecs: true,
  payload: NewPet,
  success: Pet.pipe(HttpApiSchema.status(201))
})
  .annotate(OpenApi.Summary, "Create a pet")
  .annotate(Scopes, ["pets:write"])
  .annotate(IdempotencyKey, "honoured")
  .annotate(EntityTag, "pet")
  .annotate(Location, "/store/pets/:id")
  .annotate(Errors, ["unknown_category"])
  .annotate(HostRules, true)

const getPet = HttpApiEndpoint.get("getPet", "/pets/:petId", { disableCodecs: true, params, success: Pet })
  .annotate(OpenApi.Summary, "Read a pet")
  .annotate(Scopes, ["pets:read"])
  .annotate(EntityTag, "pet")
  .annotate(Errors, ["not_found"])
  .annotate(Marks, {
    deprecation: { announced: "2026-12-05", sunset: "2030-12-05", successor: "/store/pets/:petId" }
  })

const getPetWithInventory = HttpApiEndpoint.get("getPetWithInventory", "/store/pets/:petId", {
  disableCodecs: true,
  params,
  success: PetWithInventory
})
  .annotate(OpenApi.Summary, "Read a pet and its stock")
  .annotate(Scopes, ["pets:read", "inventory:read"])
  .annotate(EntityTag, "pet+stock")
  .annotate(Errors, ["not_found"])

const updatePet = HttpApiEndpoint.patch("updatePet", "/pets/:petId", {
  disableCodecs: true,
  params,
  payload: PetUpdate,
  success: Pet
})
  .annotate(OpenApi.Summary, "Change a pet")
  .annotate(Scopes, ["pets:write"])
  .annotate(EntityTag, "pet")
  .annotate(Errors, [
    "not_found",
    "unknown_category",
    "invalid_status_transition",
    "pet_reserved",
    "pet_has_open_orders"
  ])
  .annotate(HostRules, true)

const deletePet = HttpApiEndpoint.delete("deletePet", "/pets/:petId", { disableCodecs: true, params })
  .annotate(OpenApi.Summary, "Delete a pet")
  .annotate(Scopes, ["pets:write"])
  .annotate(EntityTag, "pet")
  .annotate(Errors, ["not_found", "pet_has_open_orders"])

/** The animals of the store. */
export class PetsGroup extends HttpApiGroup.make("pets")
  .add(listPets, createPet, getPet, getPetWithInventory, updatePet, deletePet)
  .annotate(OpenApi.Title, "Pets") {}
