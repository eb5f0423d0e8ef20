import { assert, describe, it } from "vitest"
import { type Operation, operations, pathTemplate } from "../api/operations.ts"
import { methods, type OrReference, type SchemaObject } from "./OpenApi.ts"
import { openApiDocument } from "./openApiDocument.ts"

const { components, info, openapi, paths, tags } = openApiDocument()

// The fields that the interface specification lists; those with ? are not required.
const specified: { readonly [schema: string]: string } = {
  NewPet: "name: string; categoryId: integer, int64; status?: PetStatus",
  Pet: "name: string; categoryId: integer, int64; status?: PetStatus; id: integer, int64",
  NewCategory: "name: string; description?: string",
  Category: "name: string; description?: string; id: integer, int64",
  Order:
    "id?: integer, int64; petId?: integer, int64; quantity?: integer; shipDate?: string, date-time; complete?: boolean",
  InventoryItem: "petId: integer, int64; quantity: integer; status: PetStatus",
  InventoryUpdate: "quantity: integer",
  Error: "code: string; message: string; status: integer"
}

// The fields that this project adds, all of them optional.
const added: { readonly [schema: string]: string } = {
  InventoryItem: "reserved?: integer; available?: integer",
  Error: "violations?: array; details?: object"
}

const listed = (fields: string | undefined): ReadonlyArray<string> => fields?.split("; ") ?? []

const refOf = (property: OrReference<SchemaObject>): string | undefined => {
  if ("$ref" in property) return property.$ref
  const [only, ...others] = property.allOf ?? []
  return only !== undefined && others.length === 0 && "$ref" in only ? only.$ref : undefined
}

const fieldsOf = (schemaName: string): ReadonlyArray<string> => {
  const schema = components.schemas[schemaName]
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { format, type } = "$ref" in property ? {} : property
    const named = refOf(property)?.replace("#/components/schemas/", "")
    const isRequired = schema?.required?.includes(name) === true
    return `${name}${isRequired ? "" : "?"}: ${named ?? [type, format].filter(Boolean).join(", ")}`
  })
}

// The "meaning" of each field in the specification.
const meanings: { readonly [schema: string]: Readonly<Record<string, string>> } = {
  NewPet: {
    name: "The animal's name.",
    categoryId: "The ID of the category the animal belongs to.",
    status: "Status of the pet."
  },
  Pet: { id: "Unique identifier assigned on creation.", status: "Status of the pet." },
  NewCategory: { name: "The category name.", description: "A short description of the category." },
  Category: { id: "Unique identifier assigned on creation." },
  Order: {
    id: "Unique order identifier.",
    petId: "The ID of the animal in this order.",
    quantity: "Number of units ordered.",
    shipDate: "Expected or actual ship date in ISO 8601 format.",
    complete: "Whether the order has been fulfilled."
  },
  InventoryItem: {
    petId: "The ID of the animal this entry tracks.",
    quantity: "Current stock count.",
    status: "Status of the entry."
  },
  InventoryUpdate: { quantity: "The new stock count." },
  Error: {
    code: "A machine-readable error code.",
    message: "A human-readable description of the error.",
    status: "The HTTP status code."
  }
}

describe("the schemas of the specification", () => {
  for (const [name, texts] of Object.entries(meanings)) {
    it(`given ${name}, then its fields have the meanings of the specification`, () => {
      for (const [field, meaning] of Object.entries(texts)) {
        const property = components.schemas[name]?.properties?.[field] ?? {}
        assert.strictEqual("description" in property ? property.description : undefined, meaning, `${name}.${field}`)
      }
    })
  }

  for (const [name, fields] of Object.entries(specified)) {
    it(`given ${name}, then its fields, types, formats and required list are the specified ones`, () => {
      assert.strictEqual(components.schemas[name]?.type, "object")
      assert.sameMembers([...fieldsOf(name)], [...listed(fields), ...listed(added[name])])
      assert.isUndefined(components.schemas[name]?.allOf)
    })
  }

  it("given PetStatus, then it is the specified enumeration", () => {
    const { description: _description, ...schema } = components.schemas.PetStatus ?? {}
    assert.deepEqual(schema, { type: "string", enum: ["available", "pending", "sold"] })
  })

  it("given Pets, then it is an array of Pet", () => {
    const { description: _description, ...schema } = components.schemas.Pets ?? {}
    assert.deepEqual(schema, { type: "array", items: { $ref: "#/components/schemas/Pet" } })
  })
})

describe("the versions of the specification", () => {
  it("given the document, then it is OpenAPI 3.0.3 of the interface version 1.0.0", () => {
    assert.strictEqual(openapi, "3.0.3")
    assert.strictEqual(info.version, "1.0.0")
  })
})

describe("the tags of the specification", () => {
  const tagged = (tag: string) =>
    operations
      .filter((operation) => operation.tag === tag)
      .map(({ method, path }: Operation) => `${method} ${pathTemplate(path)}`)

  const tagsUnder = (path: RegExp) => {
    const found = operations.filter((operation) => path.test(operation.path))
    assert.isNotEmpty(found)
    return [...new Set(found.map(({ tag }) => tag))]
  }

  it("given the two tags of the specification, then they come first, and the others are marked as added", () => {
    assert.deepEqual(
      tags.map((tag) => [tag.name, tag["x-added"] ?? false]),
      [
        ["Pets", false],
        ["Store", false],
        ["Messages", true],
        ["Events", true],
        ["Access", true],
        ["Webhooks", true],
        ["Service", true]
      ]
    )
  })

  it("given the tag Pets, then it has the specified operations", () => {
    assert.includeMembers(tagged("Pets"), [
      "GET /pets",
      "POST /pets",
      "GET /pets/{petId}",
      "PATCH /pets/{petId}",
      "DELETE /pets/{petId}",
      "GET /store/pets/{petId}",
      "GET /categories",
      "POST /categories",
      "GET /categories/{categoryId}",
      "PATCH /categories/{categoryId}",
      "DELETE /categories/{categoryId}"
    ])
  })

  it("given the tag Store, then it has the specified operations", () => {
    assert.includeMembers(tagged("Store"), [
      "GET /store/orders",
      "POST /store/orders",
      "GET /store/orders/{orderId}",
      "PATCH /store/orders/{orderId}",
      "DELETE /store/orders/{orderId}",
      "GET /inventory",
      "GET /inventory/{petId}",
      "PATCH /inventory/{petId}",
      "GET /inventory/{petId}/movements"
    ])
  })

  it("given the operations on pets and categories, then they have the tag Pets", () => {
    assert.deepEqual(tagsUnder(/^\/(?:pets|store\/pets|categories)(?:\/|$)/), ["Pets"])
  })

  it("given the operations on orders and inventory, then they have the tag Store", () => {
    assert.deepEqual(tagsUnder(/^\/(?:store\/orders|inventory)(?:\/|$)/), ["Store"])
  })

  it("given the other operations, then they have another tag", () => {
    assert.deepEqual(tagsUnder(/^\/(?!pets|store|categories|inventory)/), [
      "Messages",
      "Events",
      "Access",
      "Webhooks",
      "Service"
    ])
  })
})

describe("the operations of the specification", () => {
  it("given the date of a deprecation, then the description is true before and after that date", () => {
    const text = paths["/pets/{petId}"]?.get?.description ?? ""
    assert.match(text, /^Deprecated as of 2026-12-05\. It ends on 2030-12-05, and responds with 410 from then on\. /)
  })

  it("given GET /pets/{petId}, then it is deprecated with a sunset date", () => {
    const operation = paths["/pets/{petId}"]?.get
    assert.isTrue(operation?.deprecated)
    assert.strictEqual(operation?.["x-deprecated-sunset"], "2030-12-05")
    assert.strictEqual(operation?.["x-sunset"], "2030-12-05")
  })

  it("given GET /store/orders, then it cannot be tried out, and every other operation can", () => {
    const hidden = Object.entries(paths).flatMap(([path, item]) =>
      methods.flatMap((method) => (item[method]?.["x-hideTryItPanel"] === true ? [`${method} ${path}`] : []))
    )
    assert.deepEqual(hidden, ["get /store/orders"])
    assert.isFalse(paths["/store/orders"]?.get?.["x-explorer-enabled"])
  })

  it("given POST /messages, then it takes a message and responds with the queued one", () => {
    const { requestBody, responses } = paths["/messages"]?.post ?? {}
    assert.deepEqual(requestBody?.content["application/json"]?.schema, { $ref: "#/components/schemas/NewMessage" })
    assert.deepEqual(fieldsOf("NewMessage"), ["message: string"])
    assert.property(responses, "202")
    assert.deepEqual(
      fieldsOf("Message"),
      listed("id: string; message: string; status: MessageStatus; createdAt: string, date-time")
    )
  })
})
