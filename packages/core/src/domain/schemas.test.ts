import { assert, describe, it } from "@effect/vitest"
import { map } from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { message, petName } from "../../testing/src/arbitraries.ts"
import { oneOf } from "../../testing/src/combine.ts"
import { invalidText } from "../../testing/src/corrupted.ts"
import * as domain from "./index.ts"

/** A JSON schema, as far as it is looked at here. */
interface Json {
  readonly [keyword: string]: unknown
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const published = (schema: Schema.Constraint) => Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })

const definition = (schema: Schema.Constraint, name: string): Json => published(schema).definitions[name] ?? {}

/** A schema and all the schemas within. */
const within = (value: unknown): ReadonlyArray<Json> =>
  Array.isArray(value) ? value.flatMap(within) : isJson(value) ? [value, ...Object.values(value).flatMap(within)] : []

const schemas = Object.entries(domain).flatMap(([name, value]) =>
  Schema.isSchema(value) ? [[name, published(value)] as const] : []
)

const id = { type: "integer", format: "int64", minimum: 1, maximum: 9007199254740991 }
const stock = { type: "integer", minimum: 0, maximum: 2147483647 }
const status = { $ref: "#/$defs/PetStatus" }
const time = {
  type: "string",
  format: "date-time",
  pattern:
    "^(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"
}
const orderQuantity = { type: "integer", minimum: 1, maximum: 1000000 }

describe("the published schema", () => {
  it("of PetStatus has the three values", () => {
    assert.deepStrictEqual(definition(domain.PetStatus, "PetStatus"), {
      type: "string",
      enum: ["available", "pending", "sold"]
    })
  })

  const shapes: {
    readonly [name: string]: readonly [Schema.Constraint, required: ReadonlyArray<string>, fields: Json]
  } = {
    Pet: [domain.Pet, ["id", "name", "categoryId"], { id, name: { type: "string" }, categoryId: id, status }],
    Category: [domain.Category, ["id", "name"], { id, name: { type: "string" }, description: { type: "string" } }],
    Order: [
      domain.Order,
      [],
      { id, petId: id, quantity: orderQuantity, shipDate: time, complete: { type: "boolean" } }
    ],
    OrderUpdate: [
      domain.OrderUpdate,
      [],
      {
        id,
        petId: id,
        quantity: orderQuantity,
        shipDate: { anyOf: [time, { type: "null" }] },
        complete: { type: "boolean" }
      }
    ],
    InventoryItem: [
      domain.InventoryItem,
      ["petId", "quantity", "status"],
      { petId: id, quantity: stock, status, reserved: stock, available: stock }
    ],
    InventoryUpdate: [domain.InventoryUpdate, ["quantity"], { quantity: stock }]
  }
  for (const [name, [schema, required, properties]] of Object.entries(shapes)) {
    it(`of ${name} has exactly its fields, their types and their bounds`, () => {
      assert.deepStrictEqual(definition(schema, name), {
        type: "object",
        properties,
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false
      })
    })
  }

  const texts: { readonly [name: string]: readonly [Schema.Constraint, field: string, min: number, max: number] } = {
    NewPet: [domain.NewPet, "name", 1, 200],
    PetUpdate: [domain.PetUpdate, "name", 1, 200],
    NewCategory: [domain.NewCategory, "name", 1, 100],
    NewMessage: [domain.NewMessage, "message", 1, 16_384],
    NewAccount: [domain.NewAccount, "name", 1, 100],
    NewApiKey: [domain.NewApiKey, "name", 1, 100]
  }
  for (const [name, [schema, field, minLength, maxLength]] of Object.entries(texts)) {
    it(`of the ${field} in ${name} has its length and its characters`, () => {
      const { properties } = definition(schema, name)
      const text = isJson(properties) ? properties[field] : undefined
      assert.isTrue(isJson(text) && typeof text.pattern === "string")
      assert.deepStrictEqual(
        { ...(isJson(text) ? text : {}), pattern: "" },
        {
          type: "string",
          minLength,
          maxLength,
          pattern: ""
        }
      )
    })
  }

  it("of a description has its length and its characters, and no lower bound", () => {
    const { schema } = published(domain.CategoryDescription)
    assert.hasAllKeys(schema, ["type", "maxLength", "pattern"])
    assert.strictEqual(schema.maxLength, 1_000)
  })

  it("of NewApiKey asks for either scopes or a preset", () => {
    assert.deepStrictEqual(definition(domain.NewApiKey, "NewApiKey").allOf, [
      { oneOf: [{ required: ["scopes"] }, { required: ["preset"] }] }
    ])
  })

  for (const [name, document] of schemas) {
    it(`of ${name} is clean: every integer bounded, every object closed, no union but with null, every reference known`, () => {
      for (const json of within([document.schema, document.definitions])) {
        assert.notStrictEqual(json.type, "number")
        if (json.type === "integer") assert.hasAnyDeepKeys(json, ["minimum", "maximum"])
        if (json.type === "integer")
          assert.isTrue(Number.isSafeInteger(json.minimum) && Number.isSafeInteger(json.maximum))
        // Metadata are texts by keys of the caller's own.
        const isMap = json.properties === undefined && isJson(json.additionalProperties)
        if (json.type === "object" && !isMap) assert.isFalse(json.additionalProperties)
        if (json.anyOf !== undefined) assert.deepNestedInclude(json, { "anyOf[1]": { type: "null" } })
        if (json.allOf !== undefined) assert.include(["NewApiKey", "Redelivery"], name)
        if (typeof json.$ref === "string") assert.property(document.definitions, json.$ref.replace("#/$defs/", ""))
      }
    })
  }

  const nothing = { minLength: 0, maxLength: Number.POSITIVE_INFINITY, pattern: "" }
  const takes = (schema: Schema.Constraint, text: string): boolean => {
    const { maxLength, minLength, pattern } = { ...nothing, ...published(schema).schema }
    const length = [...text].length
    return minLength <= length && length <= maxLength && new RegExp(pattern, "u").test(text)
  }
  const agrees = (schema: Schema.ConstraintDecoder<unknown>, text: string) => {
    // JSON Schema cannot express lone surrogates.
    if (!text.isWellFormed()) return
    assert.strictEqual(takes(schema, text), Result.isSuccess(domain.validator(schema)("/body", text)))
  }
  const anyText = oneOf(
    invalidText,
    petName,
    message,
    map(message, (text) => `${text}\n`)
  )

  it.prop("of a name takes exactly what is taken", { text: anyText }, ({ text }) => agrees(domain.PetName, text))
  it.prop("of a description takes exactly what is taken", { text: anyText }, ({ text }) =>
    agrees(domain.CategoryDescription, text)
  )
  it.prop("of a message takes exactly what is taken", { text: anyText }, ({ text }) =>
    agrees(domain.NewMessage.fields.message, text)
  )
})
