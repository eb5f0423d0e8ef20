import { ApiKey, ApiKeyRotation, ApiKeyWithSecret, NewApiKey } from "@petstore/core/domain"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Errors, IdempotencyKey, Location, Scopes, Secret } from "./annotations.ts"
import { IdParameter, pageParameters } from "./parameters.ts"

const params = { keyId: IdParameter }

const listApiKeys = HttpApiEndpoint.get("listApiKeys", "/api-keys", {
  disableCodecs: true,
  query: pageParameters,
  success: Schema.Array(ApiKey)
})
  .annotate(OpenApi.Summary, "List API keys")
  .annotate(Scopes, ["admin"])

const createApiKey = HttpApiEndpoint.post("createApiKey", "/api-keys", {
  disableCodecs: true,
  payload: NewApiKey,
  success: ApiKeyWithSecret.pipe(HttpApiSchema.status(201))
})
  .annotate(OpenApi.Summary, "Create an API key")
  .annotate(Scopes, ["admin"])
  .annotate(IdempotencyKey, "refused")
  .annotate(Secret, true)
  .annotate(Location, "/api-keys/:id")
  .annotate(Errors, ["unknown_account"])

const getApiKey = HttpApiEndpoint.get("getApiKey", "/api-keys/:keyId", {
  disableCodecs: true,
  params,
  success: ApiKey
})
  .annotate(OpenApi.Summary, "Read an API key")
  .annotate(Scopes, ["admin"])
  .annotate(Errors, ["not_found"])

const revokeApiKey = HttpApiEndpoint.delete("revokeApiKey", "/api-keys/:keyId", { disableCodecs: true, params })
  .annotate(OpenApi.Summary, "Revoke an API key")
  .annotate(Scopes, ["admin"])
  .annotate(Errors, ["not_found", "last_admin_key"])

const rotateApiKey = HttpApiEndpoint.post("rotateApiKey", "/api-keys/:keyId/rotate", {
  disableCodecs: true,
  params,
  payload: ApiKeyRotation,
  success: ApiKeyWithSecret.pipe(HttpApiSchema.status(201))
})
  .annotate(OpenApi.Summary, "Give an API key a new secret")
  .annotate(Scopes, ["admin"])
  .annotate(IdempotencyKey, "refused")
  .annotate(Secret, true)
  .annotate(Location, "/api-keys/:id")
  .annotate(Errors, ["not_found"])

/** The keys that prove who asks. */
export class ApiKeysGroup extends HttpApiGroup.make("apiKeys")
  .add(listApiKeys, createApiKey, getApiKey, revokeApiKey, rotateApiKey)
  .annotate(OpenApi.Title, "Access") {}
