import type { OpenApi } from "@petstore/http/openapi"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"

type Schemas = OpenApi["components"]["schemas"]

/** The same schema without room for more fields, so that a test sees those that are not published. */
const closed = (schema: Schemas[string]): Schemas[string] =>
  schema.properties === undefined || schema.additionalProperties !== undefined
    ? schema
    : { ...schema, additionalProperties: false }

/**
 * Makes a check of values against the schemas of a document, which returns what is wrong, and takes fields that are not
 * published for wrong. Each schema is compiled once.
 */
export const closedSchemas = ({ components }: Pick<OpenApi, "components">) => {
  const ajv = new Ajv({ allErrors: true, strict: false })
  addFormats.default(ajv, ["date-time", "uri-reference"])
  ajv.addFormat("int64", true)
  const schemas = Object.fromEntries(Object.entries(components.schemas).map(([name, schema]) => [name, closed(schema)]))
  const validators = new Map<object, (value: unknown) => ReadonlyArray<string>>()
  return (schema: object, value: unknown): ReadonlyArray<string> => {
    const known = validators.get(schema)
    if (known !== undefined) return known(value)
    const validate = ajv.compile({ components: { schemas }, ...schema })
    const check = (checked: unknown) => (validate(checked) ? [] : [ajv.errorsText(validate.errors)])
    validators.set(schema, check)
    return check(value)
  }
}
