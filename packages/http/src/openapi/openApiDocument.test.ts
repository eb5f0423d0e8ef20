import { catalogue } from "@petstore/core/domain"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { type Operation, operations, pathTemplate } from "../api/operations.ts"
import { openApiYaml } from "./documentText.ts"
import { errorCodes } from "./errors.ts"
import {
  type HeaderObject,
  methods,
  type OperationObject,
  type ParameterObject,
  type ResponseObject
} from "./OpenApi.ts"
import { openApi31 } from "./openApi31.ts"
import { methodOf, openApiDocument } from "./openApiDocument.ts"
import { describedSchemas } from "./schemas.ts"

const document = openApiDocument()
const { components, paths } = document

const published = (operation: Operation): OperationObject => {
  const found = paths[pathTemplate(operation.path)]?.[methodOf(operation)]
  assert.isDefined(found, operation.id)
  return found
}

const responsesOf = (operation: Operation): ReadonlyMap<string, ResponseObject> =>
  new Map(
    Object.entries(published(operation).responses).map(([status, found]) => {
      const response = "$ref" in found ? components.responses[found.$ref.replace("#/components/responses/", "")] : found
      assert.isDefined(response)
      return [status, response]
    })
  )

const headersOf = (operation: Operation, status: string): ReadonlyArray<string> =>
  Object.keys(responsesOf(operation).get(status)?.headers ?? {})

const headerAt = (reference: string): HeaderObject => {
  const found = components.headers[reference.replace("#/components/headers/", "")]
  assert.isDefined(found, reference)
  return found
}

const parametersOf = (operation: Operation): ReadonlyArray<ParameterObject> =>
  (published(operation).parameters ?? []).map((found) => {
    const parameter =
      "$ref" in found ? components.parameters[found.$ref.replace("#/components/parameters/", "")] : found
    assert.isDefined(parameter)
    return parameter
  })

const operationNamed = (id: string): Operation => {
  const found = operations.find((operation) => operation.id === id)
  assert.isDefined(found, id)
  return found
}

describe("the operations of the document", () => {
  it("given the contract, then the document has its operations, the health endpoints and no others", () => {
    const listed = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== "servers")
        .map((method) => `${method.toUpperCase()} ${path}`)
    )
    const expected = operations.map(({ method, path }) => `${method} ${pathTemplate(path)}`)
    assert.sameMembers(listed, [...expected, "GET /health/live", "GET /health/ready"])
  })

  it("given every operation, then the document requires a key and lists the scopes", () => {
    for (const operation of operations) {
      assert.deepEqual(published(operation).security, [{ apiKey: [] }], operation.id)
      assert.deepEqual(published(operation)["x-required-scopes"], operation.scopes, operation.id)
    }
    assert.strictEqual(published(operationNamed("listOrders"))["x-scope-for-own"], "orders:own")
    assert.deepEqual(
      published(operationNamed("listEvents"))["x-scopes-for-types"],
      operationNamed("listEvents").typeScopes
    )
    assert.deepEqual(published(operationNamed("updateOrder"))["x-scope-of-body"], {
      field: "complete",
      scope: "orders:fulfil",
      sufficesAlone: true
    })
  })

  it("given every operation, then its tag has a description", () => {
    const described = document.tags.map(({ name }) => name)
    const used = Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method]?.tags ?? []))
    assert.sameMembers([...new Set(used)], described)
  })
})

describe("the responses of the document", () => {
  it("given every operation, then the document has exactly the statuses that it can send", () => {
    for (const operation of operations) {
      const errors = [...errorCodes(operation)].map((code) => String(catalogue[code].status))
      const unchanged = operation.method === "GET" && operation.entityTag !== undefined ? ["304"] : []
      const expected = new Set([String(operation.status), ...unchanged, ...errors])
      assert.sameMembers(Object.keys(published(operation).responses), [...expected], operation.id)
    }
  })

  it("given every error response, then it has the schema Error and an example of each of its codes", () => {
    for (const operation of operations) {
      const listed: Array<string> = []
      for (const [status, response] of responsesOf(operation)) {
        if (Number(status) < 400) continue
        const media = response.content?.["application/json"]
        const codes = response["x-error-codes"] ?? []
        assert.deepEqual(media?.schema, { $ref: "#/components/schemas/Error" })
        assert.sameMembers(Object.keys(media?.examples ?? {}), [...codes])
        for (const code of codes) {
          assert.deepInclude(components.examples[code]?.value, { code, status: Number(status) })
        }
        listed.push(...codes)
      }
      assert.sameMembers(listed, [...errorCodes(operation)], operation.id)
    }
  })

  it("given operations that rules of the host application may reject, then their 409 allows codes of its own", () => {
    const roomy = operations.flatMap((operation) =>
      [...responsesOf(operation)].flatMap(([status, response]) =>
        response["x-host-codes"] === true ? [`${operation.id} ${status}`] : []
      )
    )
    const ruled = ["createPet", "createPets", "updatePet", "placeOrder", "placeOrders", "updateOrder", "cancelOrder"]
    assert.sameMembers(
      roomy,
      ruled.map((id) => `${id} 409`)
    )
  })

  it("given the schema Error, then its known codes are those of all responses", () => {
    const code = components.schemas.Error?.properties?.code
    const known = code !== undefined && "x-extensible-enum" in code ? (code["x-extensible-enum"] ?? []) : []
    assert.sameMembers([...known, ...Object.keys(document["x-webhooks"])], Object.keys(components.examples))
    assert.includeMembers(
      [...known],
      operations.flatMap((operation) => [...errorCodes(operation)])
    )
  })

  it("given every response, then it has the headers of its status that are not always sent", () => {
    for (const operation of operations) {
      for (const [status, response] of responsesOf(operation)) {
        const has = (name: string) => Object.hasOwn(response.headers ?? {}, name)
        const where = `${operation.id} ${status}`
        const codes = response["x-error-codes"] ?? []
        const retry = status === "429" || status === "503" || codes.includes("idempotency_in_progress")
        assert.strictEqual(has("Retry-After"), retry, where)
        // A position that is no longer kept is found later. Method, key, scopes and sunset are checked before the rate limit, the body after it.
        const counted =
          !["401", "405", "431"].includes(status) &&
          (status !== "410" || codes.includes("cursor_expired")) &&
          (status !== "403" ||
            ["placeOrder", "placeOrders", "updateOrder", "listEvents", "streamEvents"].includes(operation.id)) &&
          (status !== "408" || operation.body !== undefined)
        assert.strictEqual(has("RateLimit"), counted, where)
        assert.strictEqual(has("RateLimit-Policy"), has("RateLimit"), where)
      }
    }
  })

  it("given the headers of every response, then exactly those that are always sent are required", () => {
    for (const operation of operations) {
      const { deprecation } = operation
      for (const [status, { headers = {}, "x-error-codes": codes = [] }] of responsesOf(operation)) {
        const required = Object.entries(headers)
          .filter(([, header]) => ("$ref" in header ? headerAt(header.$ref) : header).required)
          .map(([name]) => name)
        const success = status === String(operation.status)
        const tagged = success ? operation.success !== undefined : status === "304"
        assert.sameMembers(
          required,
          [
            "X-Request-Id",
            "Cache-Control",
            ...(status === "401" || status === "403" ? ["WWW-Authenticate"] : []),
            ...(status === "405" ? ["Allow"] : []),
            ...(status === "429" || status === "503" || codes.join() === "idempotency_in_progress"
              ? ["Retry-After"]
              : []),
            ...(operation.entityTag !== undefined && tagged ? ["ETag"] : []),
            ...(operation.location !== undefined && success ? ["Location"] : []),
            ...(operation.streams && success ? ["X-Accel-Buffering"] : []),
            // Malformed requests are rejected with 400 too, before they reach an operation.
            ...(deprecation !== undefined && !["400", "405", "408", "431"].includes(status)
              ? ["Deprecation", "Sunset", "Link"]
              : [])
          ],
          `${operation.id} ${status}`
        )
      }
    }
  })

  it("given lists and creations, then their successes may link to a next page, or be replayed", () => {
    assert.includeMembers([...headersOf(operationNamed("listPets"), "200")], ["Link"])
    assert.includeMembers([...headersOf(operationNamed("createPet"), "201")], ["Idempotent-Replayed"])
    assert.notInclude(headersOf(operationNamed("createApiKey"), "201"), "Idempotent-Replayed")
  })

  it("given every creation, then it links to the read of the resource and to no deprecated operation", () => {
    const creations = operations.filter(({ location }) => location !== undefined)
    assert.isNotEmpty(creations)
    for (const operation of creations) {
      const links = responsesOf(operation).get(String(operation.status))?.links ?? {}
      const linked = Object.values(links).map(({ operationId }) => operationNamed(operationId))
      const read = operation.location?.replace(":id", ":")
      assert.isTrue(
        linked.some(({ method, path }) => method === "GET" && path.replace(/:\w+/, ":") === read),
        operation.id
      )
      assert.isFalse(
        linked.some(({ deprecation }) => deprecation !== undefined),
        operation.id
      )
    }
    assert.deepEqual(responsesOf(operationNamed("createPet")).get("201")?.links?.getPetWithInventory?.parameters, {
      petId: "$response.body#/id"
    })
  })
})

describe("the parameters of the document", () => {
  it("given integers in paths and queries, then they have bounds", () => {
    for (const operation of operations) {
      for (const { in: kind, name, required, schema } of parametersOf(operation)) {
        if (kind === "path") assert.isTrue(required, `${operation.id} ${name}`)
        if (kind === "header" || !/Id$/.test(name) || name === "messageId" || name === "externalId") continue
        assert.deepInclude(schema, { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
      }
    }
    const limit = parametersOf(operationNamed("listPets")).find(({ name }) => name === "limit")
    assert.deepEqual(limit?.schema, { type: "integer", minimum: 1, maximum: 100 })
  })

  it("given a string in a query, then its bounds are those of the text that is sent", () => {
    const name = parametersOf(operationNamed("listPets")).find((parameter) => parameter.name === "name")
    assert.deepInclude(name?.schema, { type: "string", minLength: 1, maxLength: 200 })
  })

  it("given a parameter that can be repeated, then it is an exploded array", () => {
    const id = parametersOf(operationNamed("listPets")).find(({ name }) => name === "id")
    assert.deepInclude(id, { in: "query", style: "form", explode: true })
    assert.deepInclude(id?.schema, { type: "array", maxItems: 100 })
  })

  it("given every operation, then the document lists the headers that it supports", () => {
    for (const operation of operations) {
      const names = parametersOf(operation).filter((parameter) => parameter.in === "header")
      const { entityTag, idempotencyKey, method } = operation
      assert.sameMembers(
        names.map(({ name }) => name),
        [
          "X-Request-Id",
          ...(operation.streams ? ["Last-Event-ID"] : []),
          ...(idempotencyKey === "honoured" ? ["Idempotency-Key"] : []),
          ...(entityTag !== undefined && method !== "POST" ? ["If-Match", "If-None-Match"] : [])
        ],
        operation.id
      )
    }
  })
})

describe("the schemas of the document", () => {
  it("given every schema, then it and each of its fields have a description", () => {
    for (const [name, { description, properties = {} }] of Object.entries(components.schemas)) {
      assert.isNotEmpty(description, name)
      for (const [field, schema] of Object.entries(properties)) {
        assert.isNotEmpty("description" in schema ? schema.description : undefined, `${name}.${field}`)
      }
    }
  })

  it("given every reference, then it has no siblings, which 3.0.3 would ignore", () => {
    const siblings = (part: unknown, where: string): ReadonlyArray<string> => {
      if (typeof part !== "object" || part === null) return []
      const inside = Object.entries(part).flatMap(([key, value]) => siblings(value, `${where}/${key}`))
      return "$ref" in part && Object.keys(part).length > 1 ? [where, ...inside] : inside
    }
    assert.deepEqual(siblings(document, ""), [])
  })

  it("given the documentation of schemas, then the document uses all of it", () => {
    for (const [name = "", { fields, readOnly }] of describedSchemas) {
      const known = Object.keys(components.schemas[name]?.properties ?? {})
      assert.property(components.schemas, name)
      assert.sameMembers(Object.keys(fields), known, name)
      assert.includeMembers(known, [...readOnly], name)
    }
  })

  it("given objects, then those of requests are closed and those of responses only are open", () => {
    for (const name of ["NewPet", "PetUpdate", "NewCategory", "CategoryUpdate", "Order", "OrderUpdate", "NewMessage"]) {
      assert.isFalse(components.schemas[name]?.additionalProperties, name)
    }
    for (const name of ["Pet", "PetWithInventory", "Category", "InventoryItem", "Message", "ApiKey", "Error"]) {
      assert.notProperty(components.schemas[name], "additionalProperties", name)
    }
  })

  it("given the fields that null clears, then only they are nullable", () => {
    const nullable = Object.entries(components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, schema]) =>
        "nullable" in schema && schema.nullable === true ? [`${name}.${field}`] : []
      )
    )
    assert.sameMembers(nullable, [
      ...["CategoryUpdate.description", "OrderUpdate.shipDate"],
      ...["RecordUpdate.externalId", "RecordUpdate.metadata"],
      ...["WebhookUpdate.types", "WebhookUpdate.description"]
    ])
  })

  it("given the id of an order, then it is read-only", () => {
    assert.deepInclude(components.schemas.Order?.properties?.id, { readOnly: true })
  })
})

describe("the servers of the document", () => {
  it("given no options, then the operations are under /v1 and the health endpoints are not", () => {
    assert.deepEqual(document.servers, [{ url: "/v1" }])
    assert.deepEqual(paths["/health/live"]?.servers, [{ url: "/" }])
    assert.deepEqual(paths["/health/live"]?.get?.security, [])
  })

  it("given a base path, then the operations are under it", () => {
    assert.deepEqual(openApiDocument({ basePath: "/shop/v1" }).servers, [{ url: "/shop/v1" }])
    assert.deepEqual(openApiDocument({ basePath: "" }).servers, [{ url: "/" }])
  })

  it("given a mount path, then operations and health endpoints are under it", () => {
    const mounted = openApiDocument({ mountPath: "/petstore" })
    assert.deepEqual(mounted.servers, [{ url: "/petstore/v1" }])
    assert.deepEqual(mounted.paths["/health/ready"]?.servers, [{ url: "/petstore" }])
  })
})

describe("the YAML of the document", () => {
  const yaml = openApiYaml(document)

  it("given the document, when its YAML is parsed, then it is the same document", () => {
    assert.deepEqual(parse(yaml), document)
  })

  it("given the document, when its YAML is parsed as YAML 1.1, then it is the same document", () => {
    assert.deepEqual(parse(yaml, { version: "1.1" }), document)
  })

  it("given a date, then it is quoted", () => {
    assert.include(yaml, 'x-deprecated-sunset: "2030-12-05"')
  })
})

describe("what tools need of the document", () => {
  /** All objects within a value. */
  const objectsIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
    typeof value === "object" && value !== null ? [{ ...value }, ...Object.values(value).flatMap(objectsIn)] : []

  it("given examples with the same id, when a tool takes them for schemas, then they are the same", () => {
    const seen = new Map<string, unknown>()
    for (const found of objectsIn(openApiDocument())) {
      if (typeof found.id !== "string") continue
      assert.deepEqual(seen.get(found.id) ?? found, found)
      seen.set(found.id, found)
    }
    assert.isAbove(seen.size, 20)
  })

  it("given patterns with slashes, then these are not escaped", () => {
    assert.notInclude(JSON.stringify(openApiDocument()), "\\\\/")
  })

  it("given a store that has a time for reservations, then reserveFor is optional, else required", () => {
    const required = (reservations: boolean) =>
      openApiDocument({ reservations }).paths["/store/orders/{orderId}/reservation"]?.put?.parameters?.some(
        (parameter) => "name" in parameter && parameter.name === "reserveFor" && parameter.required === true
      )
    assert.strictEqual(required(false), true)
    assert.strictEqual(required(true), false)
  })

  it("given the keys of metadata, then their form is in the document", () => {
    const { propertyNames } = Object(Object(openApi31(openApiDocument())).components.schemas).RecordUpdate.properties
      .metadata
    assert.deepEqual(propertyNames, { pattern: "^[A-Za-z][A-Za-z0-9_.:-]{0,39}$" })
  })
})
