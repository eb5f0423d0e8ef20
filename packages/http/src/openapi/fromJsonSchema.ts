import type * as JsonSchema from "effect/JsonSchema"
import type { OrReference, Reference, SchemaObject } from "./OpenApi.ts"

type Schema = JsonSchema.JsonSchema

/** The keywords of draft 2020-12 that OpenAPI 3.0.3 writes differently, with their values. */
interface Keywords {
  readonly const: unknown
  readonly examples: ReadonlyArray<unknown>
  readonly pattern: string
  readonly propertyNames: Schema
  readonly exclusiveMinimum: number
  readonly exclusiveMaximum: number
  readonly items: Schema
  readonly not: Schema
  readonly properties: Readonly<Record<string, Schema>>
  readonly additionalProperties: Schema | boolean
  readonly allOf: ReadonlyArray<Schema>
  readonly oneOf: ReadonlyArray<Schema>
  readonly anyOf: ReadonlyArray<Schema>
}

/** Keywords that mean the same in both. */
const alike = new Set([
  "type",
  "format",
  "description",
  "default",
  "enum",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "maxProperties",
  "uniqueItems",
  "required",
  "readOnly"
])

export const schemaReference = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` })

/** `anyOf` with null becomes `nullable`, which 3.0.3 allows only beside a `type`. */
const anyOf = (members: ReadonlyArray<Schema>): SchemaObject => {
  const values = members.filter((member) => member.type !== "null").map(fromJsonSchema)
  if (values.length === members.length) return { anyOf: values }
  const [value, ...others] = values
  if (value === undefined || others.length > 0 || !("type" in value)) {
    throw new TypeError("Only a schema with a type of its own can be nullable in OpenAPI 3.0.3")
  }
  return { ...value, nullable: true, ...(value.enum === undefined ? {} : { enum: [...value.enum, null] }) }
}

const convert: { readonly [K in keyof Keywords]: (value: Keywords[K]) => SchemaObject } = {
  const: (value) => ({ enum: [value] }),
  examples: ([example]) => ({ example }),
  // The source of a RegExp escapes slashes, which generators that write literals of it escape again.
  pattern: (pattern) => ({
    pattern: pattern.replace(/\\./gs, (pair) => (pair === "\\/" ? "/" : pair))
  }),
  propertyNames: (schema) => ({ "x-propertyNames": fromJsonSchema(schema) }),
  exclusiveMinimum: (minimum) => ({ minimum, exclusiveMinimum: true }),
  exclusiveMaximum: (maximum) => ({ maximum, exclusiveMaximum: true }),
  items: (schema) => ({ items: fromJsonSchema(schema) }),
  not: (schema) => ({ not: fromJsonSchema(schema) }),
  properties: (schemas) => ({
    properties: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, fromJsonSchema(schema)]))
  }),
  // Objects are open by default.
  additionalProperties: (schema) =>
    schema === true ? {} : { additionalProperties: schema === false ? schema : fromJsonSchema(schema) },
  allOf: (schemas) => ({ allOf: schemas.map(fromJsonSchema) }),
  oneOf: (schemas) => ({ oneOf: schemas.map(fromJsonSchema) }),
  anyOf
}

const convertKeyword = (keyword: string, value: unknown): SchemaObject => {
  if (alike.has(keyword)) return { [keyword]: value }
  if (!Object.hasOwn(convert, keyword)) throw new TypeError(`OpenAPI 3.0.3 schemas have no ${keyword}`)
  // The meta-schema of the dialect defines the type of the value.
  return convert[keyword as keyof Keywords](value as never)
}

/**
 * Converts a JSON Schema of draft 2020-12 to OpenAPI 3.0.3. References to definitions become references to components.
 * Throws a `TypeError` if OpenAPI 3.0.3 cannot express the schema.
 */
export const fromJsonSchema = ({ $ref, ...keywords }: Schema): OrReference<SchemaObject> => {
  const own: SchemaObject = Object.assign(
    {},
    ...Object.entries(keywords).map(([keyword, value]) => convertKeyword(keyword, value))
  )
  if ($ref === undefined) return own
  const reference = schemaReference(String($ref).replace("#/$defs/", ""))
  // 3.0.3 ignores the siblings of a reference.
  return Object.keys(own).length === 0 ? reference : { ...own, allOf: [...(own.allOf ?? []), reference] }
}
