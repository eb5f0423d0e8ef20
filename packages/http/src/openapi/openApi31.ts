import { map as mapValues } from "effect/Record"
import type { OpenApi, OrReference, SchemaObject } from "./OpenApi.ts"

/** A schema of JSON Schema, draft 2020-12, which OpenAPI 3.1 uses. */
type JsonSchema = Readonly<Record<string, unknown>>

type Keywords = Required<SchemaObject>

/** The keywords that 3.1 writes differently, and those that contain schemas. What 3.0.3 writes differently is also in `fromJsonSchema.ts`. */
const convert: {
  readonly [K in keyof SchemaObject]: (value: Keywords[K], schema: SchemaObject) => JsonSchema
} = {
  type: (type, { nullable }) => ({ type: nullable ? [type, "null"] : type }),
  nullable: () => ({}),
  example: (example) => ({ examples: [example] }),
  minimum: (minimum, { exclusiveMinimum }) => (exclusiveMinimum ? { exclusiveMinimum: minimum } : { minimum }),
  maximum: (maximum, { exclusiveMaximum }) => (exclusiveMaximum ? { exclusiveMaximum: maximum } : { maximum }),
  exclusiveMinimum: () => ({}),
  exclusiveMaximum: () => ({}),
  items: (schema) => ({ items: jsonSchema(schema) }),
  not: (schema) => ({ not: jsonSchema(schema) }),
  properties: (schemas) => ({ properties: mapValues(schemas, jsonSchema) }),
  additionalProperties: (schema) => ({
    additionalProperties: typeof schema === "boolean" ? schema : jsonSchema(schema)
  }),
  allOf: (schemas) => ({ allOf: schemas.map(jsonSchema) }),
  anyOf: (schemas) => ({ anyOf: schemas.map(jsonSchema) }),
  oneOf: (schemas) => ({ oneOf: schemas.map(jsonSchema) }),
  "x-propertyNames": (schema) => ({ propertyNames: jsonSchema(schema) }),
  "x-contentMediaType": (type) => ({ contentMediaType: type }),
  "x-contentSchema": (schema) => ({ contentSchema: schema })
}

const jsonSchema = (schema: OrReference<SchemaObject>): JsonSchema =>
  "$ref" in schema
    ? { ...schema }
    : Object.assign(
        {},
        ...Object.entries(schema).map(([keyword, value]) =>
          // The keyword determines the type of its value.
          Object.hasOwn(convert, keyword)
            ? convert[keyword as keyof Keywords]?.(value as never, schema)
            : { [keyword]: value }
        )
      )

/** Converts the schemas within a part of a document, of which examples may look alike. */
const converted = (part: unknown, key = ""): unknown => {
  if (typeof part !== "object" || part === null || key === "example" || key === "examples") return part
  if (key === "schema" || key === "x-itemSchema") return jsonSchema(part)
  if (key === "schemas") return mapValues(part as OpenApi["components"]["schemas"], jsonSchema)
  return Array.isArray(part) ? part.map((item) => converted(item)) : mapValues({ ...part }, converted)
}

/** Converts a document to OpenAPI 3.1: it describes the same, with schemas in JSON Schema and the webhooks under their name. */
export const openApi31 = ({ openapi: _, "x-webhooks": webhooks, ...document }: OpenApi) => ({
  openapi: "3.1.0",
  ...mapValues({ ...document, webhooks }, converted)
})
