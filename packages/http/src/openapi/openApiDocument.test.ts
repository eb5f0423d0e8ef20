import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { type Operation, operations, pathTemplate } from "../api/operations.ts"
import { openApiYaml } from "./documentText.ts"
import type { OperationObject, OrReference } from "./OpenApi.ts"
import { openApi31 } from "./openApi31.ts"
import { methodOf, openApiDocument } from "./openApiDocument.ts"
import { describedSchemas } from "./schemas.ts"

const document = openApiDocument()
const { components, paths } = document

const published = (operation: Operation): OperationObject =>
  paths[pathTemplate(operation.path)]?.[methodOf(operation)] ?? assert.fail(operation.id)

/** The part itself, or what it refers to. */
const resolved = <A extends object>(part: OrReference<A>, named: Readonly<Record<string, A>>): A =>
  "$ref" in part ? (named[part.$ref.split("/").at(-1) ?? ""] ?? assert.fail(part.$ref)) : part

// The accepted document is compared as a whole: what follows holds for operations that are added, too.
describe("the operations of the document", () => {
  it("given every operation, then the document requires a key and lists the scopes", () => {
    for (const operation of operations) {
      assert.deepEqual(published(operation).security, [{ apiKey: [] }], operation.id)
      assert.deepEqual(published(operation)["x-required-scopes"], operation.scopes, operation.id)
    }
  })

  it("given every error response, then it has the schema Error and an example of each of its codes", () => {
    for (const operation of operations) {
      for (const [status, found] of Object.entries(published(operation).responses)) {
        if (Number(status) < 400) continue
        const { content, "x-error-codes": codes = [] } = resolved(found, components.responses)
        const media = content?.["application/json"]
        assert.deepEqual(media?.schema, { $ref: "#/components/schemas/Error" })
        assert.sameMembers(Object.keys(media?.examples ?? {}), [...codes])
        for (const code of codes) assert.deepInclude(components.examples[code]?.value, { code, status: Number(status) })
      }
    }
  })

  it("given integers in paths and queries, then they have bounds", () => {
    for (const operation of operations) {
      for (const part of published(operation).parameters ?? []) {
        const { in: kind, name, required, schema } = resolved(part, components.parameters)
        if (kind === "path") assert.isTrue(required, `${operation.id} ${name}`)
        if (kind === "header" || !/Id$/.test(name) || name === "messageId" || name === "externalId") continue
        assert.deepInclude(schema, { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
      }
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
})

describe("the servers of the document", () => {
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
