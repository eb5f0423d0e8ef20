import { assert, describe, it } from "vitest"
import { openApiDocument } from "./openApiDocument.ts"

const { components, info, openapi, paths } = openApiDocument()

type Field = readonly [name: string, type: string, required: boolean]

const id = "integer, int64"

// As the interface specification lists them.
const specified: { readonly [shape: string]: ReadonlyArray<Field> } = {
  NewPet: [
    ["name", "string", true],
    ["categoryId", id, true],
    ["status", "PetStatus", false]
  ],
  Pet: [
    ["name", "string", true],
    ["categoryId", id, true],
    ["status", "PetStatus", false],
    ["id", id, true]
  ],
  NewCategory: [
    ["name", "string", true],
    ["description", "string", false]
  ],
  Category: [
    ["name", "string", true],
    ["description", "string", false],
    ["id", id, true]
  ],
  Order: [
    ["id", id, false],
    ["petId", id, false],
    ["quantity", "integer", false],
    ["shipDate", "string, date-time", false],
    ["complete", "boolean", false]
  ],
  InventoryItem: [
    ["petId", id, true],
    ["quantity", "integer", true],
    ["status", "PetStatus", true]
  ],
  InventoryUpdate: [["quantity", "integer", true]],
  Error: [
    ["code", "string", true],
    ["message", "string", true],
    ["status", "integer", true]
  ]
}

// Ours, all of them optional.
const added: { readonly [shape: string]: ReadonlyArray<Field> } = {
  InventoryItem: [
    ["reserved", "integer", false],
    ["available", "integer", false]
  ],
  Error: [
    ["violations", "array", false],
    ["details", "object", false]
  ]
}

const fieldsOf = (shape: string): ReadonlyArray<Field> => {
  const schema = components.schemas[shape]
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const type =
      "$ref" in property
        ? property.$ref.replace("#/components/schemas/", "")
        : [property.type, ...(property.format === undefined ? [] : [property.format])].join(", ")
    return [name, type, schema?.required?.includes(name) === true]
  })
}

describe("the shapes of the specification", () => {
  for (const [shape, fields] of Object.entries(specified)) {
    it(`given ${shape}, when it is published, then its fields, types, formats and required list are the specified ones`, () => {
      assert.strictEqual(components.schemas[shape]?.type, "object")
      assert.sameDeepMembers([...fieldsOf(shape)], [...fields, ...(added[shape] ?? [])])
      assert.isUndefined(components.schemas[shape]?.allOf)
    })
  }

  it("given PetStatus, when it is published, then it is the specified enumeration", () => {
    const { description: _description, ...schema } = components.schemas.PetStatus ?? {}
    assert.deepEqual(schema, { type: "string", enum: ["available", "pending", "sold"] })
  })

  it("given Pets, when it is published, then it is an array of Pet", () => {
    const { description: _description, ...schema } = components.schemas.Pets ?? {}
    assert.deepEqual(schema, { type: "array", items: { $ref: "#/components/schemas/Pet" } })
  })
})

describe("the versions of the specification", () => {
  it("given the document, when it is made, then it is OpenAPI 3.0.3 of the interface version 1.0.0", () => {
    assert.strictEqual(openapi, "3.0.3")
    assert.strictEqual(info.version, "1.0.0")
  })
})

describe("the operations of the specification", () => {
  it("given GET /pets/{petId}, when it is published, then it is deprecated with a sunset date", () => {
    const operation = paths["/pets/{petId}"]?.get
    assert.isTrue(operation?.deprecated)
    assert.strictEqual(operation?.["x-deprecated-sunset"], "2030-12-05")
    assert.strictEqual(operation?.["x-sunset"], "2030-12-05")
  })

  it("given GET /store/orders, when it is published, then it cannot be tried out, and every other operation can", () => {
    const hidden = Object.entries(paths).flatMap(([path, item]) =>
      (["get", "post", "patch", "delete"] as const).flatMap((method) =>
        item[method]?.["x-hideTryItPanel"] === true ? [`${method} ${path}`] : []
      )
    )
    assert.deepEqual(hidden, ["get /store/orders"])
    assert.isFalse(paths["/store/orders"]?.get?.["x-explorer-enabled"])
  })

  it("given POST /messages, when it is published, then it takes a message and answers the queued one", () => {
    const { requestBody, responses } = paths["/messages"]?.post ?? {}
    assert.deepEqual(requestBody?.content["application/json"]?.schema, { $ref: "#/components/schemas/NewMessage" })
    assert.deepEqual(fieldsOf("NewMessage"), [["message", "string", true]])
    assert.property(responses, "202")
    assert.deepEqual(fieldsOf("Message"), [
      ["id", "string", true],
      ["message", "string", true],
      ["status", "MessageStatus", true],
      ["createdAt", "string, date-time", true]
    ])
  })
})
