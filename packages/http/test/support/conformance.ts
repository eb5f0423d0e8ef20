import { isErrorCode } from "@petstore/core/domain"
import { type OpenApi, openApiDocument } from "@petstore/http/openapi"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import type { Reply } from "./Reply.ts"

type Components = OpenApi["components"]
type Schema = Components["schemas"][string]
type Header = Components["headers"][string]
type Response = Components["responses"][string]
type Operation = NonNullable<OpenApi["paths"][string]["get"]>

/** Headers of the connection and of the encoding of the body, which the document does not list. */
const transport = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "vary"
])

const ajv = new Ajv({ allErrors: true, strict: false })
addFormats.default(ajv, ["date-time", "uri-reference"])
ajv.addFormat("int64", true)

/** The same schema without room for more fields, so that a test sees those that are not published. */
const closed = (schema: Schema): Schema =>
  schema.properties === undefined || schema.additionalProperties !== undefined
    ? schema
    : { ...schema, additionalProperties: false }

const document = openApiDocument()
const schemas = Object.fromEntries(
  Object.entries(document.components.schemas).map(([name, schema]) => [name, closed(schema)])
)

const operationsById: ReadonlyMap<string, Operation> = new Map(
  Object.values(document.paths)
    .flatMap(({ delete: remove, get, patch, post }) => [get, post, patch, remove])
    .flatMap((operation) => (operation === undefined ? [] : [[operation.operationId, operation] as const]))
)

const lookUp = <A extends object>(value: A | { readonly $ref: string }, components: Readonly<Record<string, A>>): A => {
  if (!("$ref" in value)) return value
  const found = components[value.$ref.slice(value.$ref.lastIndexOf("/") + 1)]
  if (found === undefined) throw new Error(`There is nothing at ${value.$ref}`)
  return found
}

const validators = new Map<object, (value: unknown) => ReadonlyArray<string>>()

/** What is wrong with a value; each schema is compiled once. */
const violations = (schema: object, value: unknown): ReadonlyArray<string> => {
  const known = validators.get(schema)
  if (known !== undefined) return known(value)
  const validate = ajv.compile({ components: { schemas }, ...schema })
  const check = (checked: unknown) => (validate(checked) ? [] : [ajv.errorsText(validate.errors)])
  validators.set(schema, check)
  return check(value)
}

const headerViolations = (headers: Headers, declared: NonNullable<Response["headers"]>): ReadonlyArray<string> => {
  const published = Object.entries(declared).map(
    ([name, header]) => [name.toLowerCase(), lookUp<Header>(header, document.components.headers)] as const
  )
  const byName = new Map(published)
  const missing = published.filter(([name, { required }]) => required && !headers.has(name))
  return [
    ...missing.map(([name]) => `the header ${name} is missing`),
    ...[...headers].flatMap(([name, value]) => {
      if (transport.has(name)) return []
      const schema = byName.get(name)?.schema
      if (schema === undefined) return [`the header ${name} is not published`]
      const meant = schema.type === "integer" ? Number(value) : value
      return violations(schema, meant).map((wrong) => `the header ${name}: ${value}: ${wrong}`)
    })
  ]
}

const bodyViolations = (
  { body, headers, text }: Reply,
  { content, "x-error-codes": codes, "x-host-codes": hostCodes }: Response,
  method: string | undefined
): ReadonlyArray<string> => {
  if (content === undefined) return text === "" ? [] : ["no body is published"]
  const type = headers.get("content-type") ?? ""
  const media = content[type]
  if (media === undefined) return [`the media type ${type} is not published`]
  if (method === "HEAD") return text === "" ? [] : ["HEAD has a body"]
  const code = typeof body === "object" && body !== null && "code" in body ? String(body.code) : ""
  return [
    ...violations(media.schema, type === "text/event-stream" ? text : body),
    ...(codes === undefined || codes.includes(code) || (hostCodes === true && !isErrorCode(code))
      ? []
      : [`the code ${code} is not published`])
  ]
}

/**
 * How a response of an operation, by its operationId, deviates from the document: in its status, headers, media type,
 * body and error code. Empty if it conforms. Pass the method of a HEAD request, whose response has no body.
 */
export const deviations = (operation: string, reply: Reply, method?: string): ReadonlyArray<string> => {
  const found = operationsById.get(operation)?.responses[reply.status]
  if (found === undefined) return [`the status ${reply.status} is not published`]
  const response = lookUp<Response>(found, document.components.responses)
  return [...headerViolations(reply.headers, response.headers ?? {}), ...bodyViolations(reply, response, method)]
}
