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

/** A schema and all the schemas within. */
const within = (value: unknown): ReadonlyArray<Json> =>
  Array.isArray(value) ? value.flatMap(within) : isJson(value) ? [value, ...Object.values(value).flatMap(within)] : []

const schemas = Object.entries(domain).flatMap(([name, value]) =>
  Schema.isSchema(value) ? [[name, published(value)] as const] : []
)

describe("the published schema", () => {
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
