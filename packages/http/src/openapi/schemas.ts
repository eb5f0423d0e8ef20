import { type ErrorCode, EventType, limits } from "@petstore/core/domain"
import { memoize } from "effect/Function"
import type * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { SchemaDocs } from "../api/docs.ts"
import type { PlainSchema } from "../api/operation.ts"
import type { Operation } from "../api/operations.ts"
import { fromJsonSchema, schemaReference } from "./fromJsonSchema.ts"
import type { OrReference, SchemaObject } from "./OpenApi.ts"
import { schemaDocs } from "./operationDocs.ts"

type Definitions = Readonly<Record<string, JsonSchema.JsonSchema>>

// Each takes milliseconds, and all documents of a process need the same.
const documentOf = memoize((schema: PlainSchema) => Schema.toJsonSchemaDocument(schema))
const bodyDocument = memoize((body: PlainSchema) => Schema.toJsonSchemaDocument(body, { onExcessProperty: "error" }))

export const bodySchema = (body: PlainSchema): OrReference<SchemaObject> => fromJsonSchema(bodyDocument(body).schema)

/** The schema of the body of a success. */
export const successSchema = (success: PlainSchema): OrReference<SchemaObject> =>
  fromJsonSchema(documentOf(success).schema)

const definitions = (
  schemas: ReadonlyArray<PlainSchema | undefined>,
  document: (schema: PlainSchema) => JsonSchema.Document<"draft-2020-12">
): Definitions =>
  Object.assign({}, ...schemas.map((schema) => (schema === undefined ? {} : document(schema).definitions)))

/** The documentation of each schema, by its name. */
export const describedSchemas: ReadonlyMap<string | undefined, SchemaDocs> = new Map(
  schemaDocs.map((docs) => [SchemaAST.resolveIdentifier(docs.schema.ast), docs])
)

const withDocs = (name: string, schema: SchemaObject): SchemaObject => {
  const docs = describedSchemas.get(name)
  if (docs === undefined) throw new TypeError(`The schema ${name} has no documentation`)
  const { description, fields, readOnly } = docs
  const { properties, ...rest } = schema
  if (properties === undefined) return { description, ...rest }
  const described = Object.entries(properties).map(([field, property]) => {
    const meaning = fields[field]
    if (meaning === undefined) throw new TypeError(`The field ${field} of ${name} has no documentation`)
    // 3.0.3 ignores the siblings of a reference.
    const described = "$ref" in property ? { allOf: [property] } : property
    return [field, { description: meaning, ...described, ...(readOnly.includes(field) ? { readOnly: true } : {}) }]
  })
  return { description, ...rest, properties: Object.fromEntries(described) }
}

/** The value of a field that has one value only, such as the type of an event. */
const constantOf = (schema: SchemaObject | undefined, field: string): unknown => {
  const property = schema?.properties?.[field]
  const [value, ...others] = property === undefined || "$ref" in property ? [] : (property.enum ?? [])
  return others.length === 0 ? value : undefined
}

/** Alternatives that differ in their `type` have it as the discriminator, so that generated clients narrow by it. */
const withDiscriminator = (schema: SchemaObject, components: Readonly<Record<string, SchemaObject>>): SchemaObject => {
  const mapping = (schema.oneOf ?? []).flatMap((alternative) => {
    if (!("$ref" in alternative)) return []
    const value = constantOf(components[alternative.$ref.replace("#/components/schemas/", "")], "type")
    return typeof value === "string" ? [[value, alternative.$ref] as const] : []
  })
  return mapping.length === 0 || mapping.length < (schema.oneOf?.length ?? 0)
    ? schema
    : { ...schema, discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) } }
}

const errorSchemas = (codes: ReadonlyArray<ErrorCode>): Readonly<Record<string, SchemaObject>> => ({
  Error: {
    description:
      "An error. Its message says what to do. Future versions may add codes, and responses with `x-host-codes` may have codes of the application that embeds this server: handle unknown codes by their `status`.",
    type: "object",
    properties: {
      code: {
        description: "A machine-readable error code.",
        type: "string",
        "x-extensible-enum": codes
      },
      message: { description: "A human-readable description of the error.", type: "string" },
      status: { description: "The HTTP status code.", type: "integer", minimum: 400, maximum: 599 },
      violations: {
        description: "Every violation that the input contains.",
        type: "array",
        items: schemaReference("Violation"),
        maxItems: limits.violations
      },
      details: {
        description: "The values behind the error, for example the number of units that are left.",
        type: "object",
        additionalProperties: true
      }
    },
    required: ["code", "message", "status"]
  },
  Violation: {
    description: "One violation in an input.",
    type: "object",
    properties: {
      path: {
        description: "The place in the request, as a JSON Pointer such as `/body/name` or `/query/limit`.",
        type: "string"
      },
      message: { description: "What is expected in that place.", type: "string" }
    },
    required: ["path", "message"]
  }
})

/**
 * Every schema that requests and responses refer to, and those of what the server sends. Schemas of requests are closed; schemas that only responses use
 * are open, so that fields can be added.
 */
export const schemaComponents = (
  operations: ReadonlyArray<Operation>,
  sent: ReadonlyArray<PlainSchema>,
  codes: ReadonlyArray<ErrorCode>
): Readonly<Record<string, SchemaObject>> => {
  const all: Definitions = {
    ...definitions([...operations.map(({ success }) => success), ...sent], documentOf),
    ...definitions(
      operations.map(({ body }) => body),
      bodyDocument
    )
  }
  const described: Readonly<Record<string, SchemaObject>> = Object.fromEntries(
    Object.entries(all)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => {
        const converted = fromJsonSchema(schema)
        if ("$ref" in converted) throw new TypeError(`The schema ${name} is only an alias`)
        return [name, withDocs(name, converted)]
      })
  )
  const discriminated = Object.entries(described).map(([name, schema]) => [name, withDiscriminator(schema, described)])
  return { ...Object.fromEntries(discriminated), ...errorSchemas(codes) }
}

/**
 * One frame of a stream of events. OpenAPI 3.0.3 describes the text of a whole body only; version 3.2 describes frames by
 * `itemSchema`, of which this is the value.
 */
export const eventFrame: SchemaObject = {
  description:
    "A frame of the stream. A frame with only an `id` moves the position past events that were not selected.",
  type: "object",
  properties: {
    id: {
      description: "The `seq` up to which everything selected has been sent.",
      type: "string",
      pattern: "^[1-9][0-9]{0,15}$"
    },
    event: { description: "The `type` of the event.", type: "string", enum: EventType.literals },
    data: {
      description: "The event as JSON.",
      type: "string",
      "x-contentMediaType": "application/json",
      "x-contentSchema": schemaReference("Event")
    }
  },
  required: ["id"]
}
