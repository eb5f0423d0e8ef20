import type { Deprecation } from "../api/annotations.ts"
import { type Operation, type PlainSchema, pathTemplate } from "../api/operations.ts"
import { markExtensions } from "./marks.ts"
import type { Method, OperationObject, RequestBody } from "./OpenApi.ts"
import { operationExamples } from "./operationExamples.ts"
import { operationTexts } from "./operationTexts.ts"
import { parametersOf } from "./parameters.ts"
import { responsesOf } from "./responses.ts"
import { bodySchema } from "./schemas.ts"

/** The name of the one security scheme. */
export const securityScheme = "apiKey"

/** The method of an operation as the document writes it. */
export const methodOf = ({ method }: Operation): Method => {
  switch (method) {
    case "GET":
    case "POST":
    case "PATCH":
    case "DELETE":
      return method.toLowerCase() as Lowercase<typeof method>
    default:
      throw new TypeError(`Operations have no method ${method}`)
  }
}

const code = (text: string): string => `\`${text}\``

const scopeSentence = ({ bodyScope, scopes }: Operation): string => {
  const always = scopes.map(code).join(" and ")
  if (bodyScope === undefined) return `Scope: ${always}.`
  const both = `Scope: ${always}, and ${code(bodyScope.scope)} if ${code(bodyScope.field)} is true.`
  return bodyScope.sufficesAlone === true
    ? `${both} A body with ${code(bodyScope.field)} alone needs ${code(bodyScope.scope)} alone.`
    : both
}

const endSentence = ({ announced, successor, sunset }: Deprecation): string =>
  `Deprecated as of ${announced}. It ends on ${sunset}, and responds with 410 from then on. Use ${code(`GET ${pathTemplate(successor)}`)} instead.`

const description = (operation: Operation): string =>
  [
    ...(operation.marks.deprecation === undefined ? [] : [endSentence(operation.marks.deprecation)]),
    operationTexts[operation.id].description,
    scopeSentence(operation)
  ].join("\n\n")

const requestBody = ({ id }: Operation, body: PlainSchema): RequestBody => ({
  required: true,
  content: { "application/json": { schema: bodySchema(body), example: operationExamples[id].body } }
})

/** An operation of the contract as the document describes it. */
export const operationObject = (operation: Operation): OperationObject => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  description: description(operation),
  ...markExtensions(operation.marks),
  security: [{ [securityScheme]: [] }],
  "x-required-scopes": operation.scopes,
  ...(operation.bodyScope === undefined ? {} : { "x-scope-of-body": operation.bodyScope }),
  parameters: parametersOf(operation),
  ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, operation.body) }),
  responses: responsesOf(operation)
})
