import { type OpenApi, openApiDocument } from "@petstore/http/openapi"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import fc from "fast-check"

export type Schema = OpenApi["components"]["schemas"][string]
type Referable = Schema | { readonly $ref: string }

const { schemas } = openApiDocument().components

/** The schema behind a reference. */
export const resolved = (schema: Referable): Schema => {
  if (!("$ref" in schema)) {
    const [only, ...others] = schema.allOf ?? []
    return only === undefined || others.length > 0 ? schema : resolved(only)
  }
  const found = schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)]
  if (found === undefined) throw new Error(`Unknown schema ${schema.$ref}`)
  return found
}

const awkward = [
  "",
  " ",
  "\u3000",
  "\u200b",
  "a\u202eb",
  "שלום\u200f",
  "\u0000",
  "a\u0007b",
  "a\nb",
  "\ud800",
  "__proto__",
  "null",
  "é",
  "e\u0301",
  "😀",
  "ß",
  "%",
  "/"
]

// Made once: that of graphemes reads a table of all of them when it is made.
const short = fc.stringMatching(/^[A-Z][a-z]{0,3} ?[0-9]{0,2}[a-z]$/)
const graphemes = fc.string({ unit: "grapheme", maxLength: 20 })
const codePoints = fc.string({ unit: "binary", maxLength: 20 })

/** Text that is short, odd, or about as long as allowed. */
const text = (limit: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: short },
    { weight: 2, arbitrary: graphemes },
    { weight: 1, arbitrary: codePoints },
    { weight: 1, arbitrary: fc.constantFrom(...awkward) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("x", "é", "😀"), fc.constantFrom(-1, 0, 1))
        .map(([unit, more]) => unit.repeat(Math.max(0, limit + more)))
    }
  )

const time = fc.oneof(
  fc
    .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    "2028-02-29T12:00:00+14:00",
    "2026-02-29T00:00:00Z",
    "2026-05-04T09:30:00",
    "2026-05-04",
    "2030-01-31T00:00:00.123456789-08:00",
    "2016-12-31T23:59:60Z",
    "0000-06-01T00:00:00Z"
  )
)

const whole = ({ maximum = Number.MAX_SAFE_INTEGER, minimum = 0 }: Schema): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 9) }) },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) }
  )

/** Values that are nearly always valid by a schema. */
export const valueFor = (referable: Referable): fc.Arbitrary<unknown> => {
  const schema = resolved(referable)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const value = ((): fc.Arbitrary<unknown> => {
    switch (schema.type) {
      case "integer":
        return whole(schema)
      case "boolean":
        return fc.boolean()
      case "array":
        return fc.array(valueFor(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 4 })
      case "object":
        return fc.record(
          Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, valueFor(field)])),
          { requiredKeys: [...(schema.required ?? [])] }
        )
      default:
        return schema.format === "date-time" ? time : text(schema.maxLength ?? 100)
    }
  })()
  return schema.nullable === true ? fc.option(value, { freq: 4 }) : value
}

/** Any JSON value. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, 0, -1, 1.5, 1e30, 9007199254740992, "", "1", true, [], {}, [[]], "\ud800")
)

/** A changed copy of a value, mostly invalid. */
export const invalidated = (value: unknown): fc.Arbitrary<unknown> => {
  if (typeof value !== "object" || value === null) return anything
  const fields = Object.keys(value)
  const replaced = (name: string) => anything.map((other) => ({ ...value, [name]: other }))
  const removed = (name: string) =>
    fc.constant(Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)))
  return fc.oneof(
    anything,
    fc.constantFrom("colour", "constructor", "toString", "").chain(replaced),
    ...(fields.length === 0
      ? []
      : [fc.constantFrom(...fields).chain(replaced), fc.constantFrom(...fields).chain(removed)])
  )
}

const ajv = new Ajv({ strict: false })
addFormats.default(ajv, ["date-time"])
ajv.addFormat("int64", true)

const { components } = openApiDocument()
const validators = new Map<object, (value: unknown) => boolean>()

/** Whether a value is valid by a schema of the document. */
export const conforms = (schema: object, value: unknown): boolean => {
  const validate = validators.get(schema) ?? ajv.compile({ components, ...schema })
  validators.set(schema, validate)
  return validate(value)
}

/** Whether the text of a parameter is valid by its schema. */
export const textConforms = (schema: Schema, text: string): boolean => {
  if (schema.type === "integer") return String(Number(text)) === text && conforms(schema, Number(text))
  if (schema.type === "boolean") return text === "true" || text === "false"
  return conforms(schema, text)
}

/** Whether the strings in a value are well-formed Unicode, which no schema can require. */
export const isWellFormed = (value: unknown): boolean => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner))
}
