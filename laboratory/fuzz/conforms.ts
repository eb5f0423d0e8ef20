import { openApiDocument } from "@petstore/http/openapi"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import type { Schema } from "./values.ts"

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
