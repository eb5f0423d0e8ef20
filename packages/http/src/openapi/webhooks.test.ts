import { EventType } from "@petstore/core/domain"
import { assert, describe, it } from "vitest"
import type { OperationObject, PathItem } from "./OpenApi.ts"
import { openApiDocument } from "./openApiDocument.ts"

const { components, paths, "x-webhooks": webhooks } = openApiDocument()

const operationsOf = ({ delete: remove, get, patch, post }: PathItem): ReadonlyArray<OperationObject> =>
  [get, post, patch, remove].filter((operation) => operation !== undefined)

const callbacksOf = ({ callbacks = {} }: OperationObject): ReadonlyArray<readonly [string, OperationObject]> =>
  Object.values(callbacks).flatMap((callback) =>
    Object.entries(callback).flatMap(([url, item]) => operationsOf(item).map((operation) => [url, operation] as const))
  )

const operations = Object.values(paths).flatMap(operationsOf)

describe("the webhooks of the document", () => {
  it("given every type of event and the test, then each is a webhook with a POST request", () => {
    assert.sameMembers(Object.keys(webhooks), [...EventType.literals, "webhook.test"])
    for (const item of Object.values(webhooks)) assert.deepEqual(Object.keys(item), ["post"])
  })

  for (const [type, { post }] of Object.entries(webhooks)) {
    it(`given ${type}, then its body is the shared schema of that type, with an example`, () => {
      const { examples, schema } = post?.requestBody?.content["application/json"] ?? assert.fail()
      assert.deepEqual<unknown>(schema, { $ref: components.schemas.WebhookEvent?.discriminator?.mapping[type] })
      const shared = components.schemas.Event?.discriminator?.mapping[type]
      if (type !== "webhook.test") assert.deepEqual<unknown>(schema, { $ref: shared })
      assert.deepEqual(examples, { [type]: { $ref: `#/components/examples/${type}` } })
    })

    it(`given ${type}, then the headers of Standard Webhooks are required, and an API key is not`, () => {
      const headers = (post?.parameters ?? []).map((parameter) =>
        "$ref" in parameter ? components.parameters[parameter.$ref.replace("#/components/parameters/", "")] : parameter
      )
      assert.deepEqual<unknown>(
        headers.map((header) => [header?.in, header?.name, header?.required]),
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => ["header", name, true])
      )
      assert.deepEqual(post?.security, [])
    })

    it(`given ${type}, then it says what 2xx, redirects, 410 and other responses lead to`, () => {
      assert.sameMembers(Object.keys(post?.responses ?? {}), ["2XX", "3XX", "410", "default"])
      assert.deepEqual(post?.responses.default, { $ref: "#/components/responses/WebhookFailed" })
      assert.property(components.responses.WebhookFailed?.headers, "Retry-After")
    })
  }

  it("given the operation that creates a webhook, then it alone has a callback, to the URL in its body", () => {
    assert.deepEqual(
      operations.filter((operation) => callbacksOf(operation).length > 0).map(({ operationId }) => operationId),
      ["createWebhook"]
    )
    const create = operations.find(({ operationId }) => operationId === "createWebhook") ?? assert.fail()
    const [[url, callback] = assert.fail(), ...others] = callbacksOf(create)
    assert.lengthOf(others, 0)
    assert.strictEqual(url, "{$request.body#/url}")
    assert.include(components.schemas.NewWebhook?.required ?? [], "url")
    const { examples, schema } = callback.requestBody?.content["application/json"] ?? assert.fail()
    assert.deepEqual(schema, { $ref: "#/components/schemas/WebhookEvent" })
    assert.sameMembers(Object.keys(examples ?? {}), Object.keys(webhooks))
    assert.sameMembers(
      Object.keys(components.schemas.WebhookEvent?.discriminator?.mapping ?? {}),
      Object.keys(webhooks)
    )
  })

  it("given all operations, webhooks and callbacks, then each operationId is unique", () => {
    const ids = [
      ...operations.flatMap((operation) => [operation, ...callbacksOf(operation).map(([, callback]) => callback)]),
      ...Object.values(webhooks).flatMap(operationsOf)
    ].map(({ operationId }) => operationId)
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})
