import { ApiKey, ApiKeyRotation, ApiKeyWithSecret, NewApiKey, Preset, Scope } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { account, apiKey, secretKey, texts } from "./examples.ts"
import { operation } from "./operation.ts"
import { IdParameter, pageParameters, sortParameter } from "./parameters.ts"

const params = { keyId: IdParameter }

const listApiKeys = operation("listApiKeys", "GET", "/api-keys", {
  useCase: "apiKeys.list",
  query: { ...sortParameter, ...pageParameters },
  success: Schema.Array(ApiKey),
  scopes: ["admin"]
})
export const listApiKeysDocs = (): OperationDocs<typeof listApiKeys> => ({
  summary: "List API keys",
  description: "Returns a page of API keys without their secrets, sorted by id.",
  query: { sort: { description: texts.sort, example: "-id" } },
  success: "A page of API keys.",
  response: [{ ...apiKey, lastUsedAt: "2026-05-04T09:30:00.000Z" }],
  stability: "stable"
})

const createApiKey = operation("createApiKey", "POST", "/api-keys", {
  useCase: "apiKeys.create",
  body: NewApiKey,
  success: ApiKeyWithSecret,
  status: 201,
  scopes: ["admin"],
  idempotencyKey: "rejected",
  secret: true,
  location: "/api-keys/:id"
})
export const createApiKeyDocs = (): OperationDocs<typeof createApiKey> => ({
  summary: "Create an API key",
  description: `Creates an API key. ${texts.secret}`,
  request: { accountId: account.id, name: "Web shop", preset: "storefront" },
  success: "The API key was created. Only this response contains its secret.",
  response: { ...apiKey, key: secretKey },
  stability: "stable"
})

const getApiKey = operation("getApiKey", "GET", "/api-keys/:keyId", {
  useCase: "apiKeys.get",
  params,
  success: ApiKey,
  scopes: ["admin"],
  entityTag: "version"
})
export const getApiKeyDocs = (): OperationDocs<typeof getApiKey> => ({
  summary: "Get an API key",
  description:
    "Returns an API key without its secret. Its entity tag changes when it is rotated and when `lastUsedAt` does.",
  success: "The API key.",
  response: apiKey,
  stability: "stable"
})

const revokeApiKey = operation("revokeApiKey", "DELETE", "/api-keys/:keyId", {
  useCase: "apiKeys.revoke",
  params,
  scopes: ["admin"],
  idempotencyKey: "honoured",
  entityTag: "version"
})
export const revokeApiKeyDocs = (): OperationDocs<typeof revokeApiKey> => ({
  summary: "Revoke an API key",
  description:
    "Revokes an API key immediately. The last admin key cannot be revoked: another admin key must work for at least 7 more days, or as long as this one. To replace its secret, rotate it. A server that has an admin key of its own (`PETSTORE_ADMIN_KEY`) revokes the last one too.",
  success: "The API key was revoked.",
  stability: "stable"
})

const rotateApiKey = operation("rotateApiKey", "POST", "/api-keys/:keyId/rotate", {
  useCase: "apiKeys.rotate",
  params,
  body: ApiKeyRotation,
  success: ApiKeyWithSecret,
  status: 201,
  scopes: ["admin"],
  idempotencyKey: "rejected",
  secret: true,
  location: "/api-keys/:id"
})
export const rotateApiKeyDocs = (): OperationDocs<typeof rotateApiKey> => ({
  summary: "Rotate an API key",
  description: `Gives an API key a new secret. The old secret keeps working for \`graceSeconds\`. ${texts.secret}`,
  request: { graceSeconds: 3600 },
  success: "The API key has a new secret. Only this response contains it.",
  response: { ...apiKey, key: secretKey },
  stability: "stable"
})

/** What each event of a key shows of it. */
export const apiKeyFields = {
  id: texts.id,
  accountId: "The account that owns the key.",
  name: "What the key is for.",
  scopes: "The permissions of the key.",
  createdAt: "When the key was created.",
  expiresAt: "When the key expires. Absent if it does not expire."
}

export const apiKeysDocs = () => {
  const fields = {
    ...apiKeyFields,
    lastUsedAt: "When the key was last used, to the minute. Absent if it was never used."
  }
  return {
    parameters: { keyId: { description: "The API key.", example: apiKey.id } },
    schemas: [
      describeSchema(
        NewApiKey,
        "The API key to create, with either `scopes` or a `preset`. The scopes of a key cannot be changed later.",
        {
          accountId: fields.accountId,
          name: fields.name,
          scopes: fields.scopes,
          preset: "A predefined set of scopes.",
          expiresAt: `${fields.expiresAt} Must be in the future.`
        }
      ),
      describeSchema(ApiKey, "An API key, without its secret.", fields),
      describeSchema(ApiKeyWithSecret, "An API key with its secret, which no other response contains.", {
        ...fields,
        key: "The key to send as `Authorization: Bearer <key>`. The server does not store it: keep it safe."
      }),
      describeSchema(ApiKeyRotation, "The options of a rotation.", {
        graceSeconds: "How long the old secret keeps working, in seconds. Default: 86400 (one day)."
      }),
      describeSchema(
        Scope,
        "A permission of an API key. `admin` implies all others. `orders:own` lets the key place, list, read, change and cancel the orders of its own account, and read their events; all other orders are not found. `events:read` is for all events but those of API keys, which need `admin`, and `events:pets` (of pets and categories), `events:inventory`, `events:orders`, `events:messages` and `events:webhooks` are for those of one kind."
      ),
      describeSchema(
        Preset,
        "A predefined set of scopes. `read`: every scope that ends with `:read`. `write`: all of `read`, and pets:write, inventory:write, orders:write, orders:fulfil, messages:write. `admin`: all scopes. `storefront`: pets:read, inventory:read, orders:read, orders:write. `warehouse`: pets:read, inventory:read, inventory:write, orders:read, orders:fulfil. `customer`: pets:read, inventory:read, events:inventory, orders:own."
      )
    ]
  }
}

export const apiKeysOperations = {
  tag: "Access",
  operations: [listApiKeys, createApiKey, getApiKey, revokeApiKey, rotateApiKey]
}
