import { isErrorCode } from "@petstore/core/domain"
import { type OpenApi, openApiDocument } from "@petstore/http/openapi"
import { methods } from "../../src/openapi/OpenApi.ts"
import { closedSchemas } from "./closedSchemas.ts"
import type { Reply } from "./TestServer.ts"

type Components = OpenApi["components"]
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

const document = openApiDocument({ metrics: true })
/** What is wrong with a value by a schema. */
const violations = closedSchemas(document)

const operationsById: ReadonlyMap<string, Operation> = new Map(
  Object.values(document.paths)
    .flatMap((item) => methods.map((method) => item[method]))
    .flatMap((operation) => (operation === undefined ? [] : [[operation.operationId, operation] as const]))
)

const lookUp = <A extends object>(value: A | { readonly $ref: string }, components: Readonly<Record<string, A>>): A => {
  if (!("$ref" in value)) return value
  const found = components[value.$ref.slice(value.$ref.lastIndexOf("/") + 1)]
  if (found === undefined) throw new Error(`There is nothing at ${value.$ref}`)
  return found
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
  const media = content[type.replace(/;.*/, "")]
  if (media === undefined) return [`the media type ${type} is not published`]
  if (method === "HEAD") return text === "" ? [] : ["HEAD has a body"]
  const code = typeof body === "object" && body !== null && "code" in body ? String(body.code) : ""
  return [
    ...violations(media.schema, type.startsWith("text/") ? text : body),
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
