import type { Deprecation } from "../api/operation.ts"
import { type Operation, type PlainSchema, pathTemplate } from "../api/operations.ts"
import { extensionsOf } from "./extensions.ts"
import type { OperationObject, RequestBody } from "./OpenApi.ts"
import { operationDocs } from "./operationDocs.ts"
import { parametersOf } from "./parameters.ts"
import { responsesOf } from "./responses.ts"
import { bodySchema } from "./schemas.ts"
import { webhookCallbacks } from "./webhooks.ts"

/** The name of the one security scheme. */
export const securityScheme = "apiKey"

const code = (text: string): string => `\`${text}\``

const scopeSentence = ({ bodyScope, scopes }: Operation): string => {
  const always = scopes.map(code).join(" and ")
  if (bodyScope === undefined) return `Scope: ${always}.`
  const both = `Scope: ${always}, and ${code(bodyScope.scope)} if ${code(bodyScope.field)} is true.`
  return bodyScope.sufficesAlone === true
    ? `${both} A body with only ${code(bodyScope.field)} requires only ${code(bodyScope.scope)}.`
    : both
}

const endSentence = ({ announced, successor, sunset }: Deprecation): string =>
  `Deprecated as of ${announced}. It ends on ${sunset}, and responds with 410 from then on. Use ${code(`GET ${pathTemplate(successor)}`)} instead.`

const description = (operation: Operation): string =>
  [
    ...(operation.deprecation === undefined ? [] : [endSentence(operation.deprecation)]),
    operationDocs[operation.id].description,
    scopeSentence(operation)
  ].join("\n\n")

const requestBody = ({ id }: Operation, body: PlainSchema): RequestBody => ({
  required: true,
  content: { "application/json": { schema: bodySchema(body), example: operationDocs[id].request } }
})

/** The description of an operation. */
export const operationObject = (operation: Operation): OperationObject => {
  const { bodyScope, deprecation, id, scopes, tag } = operation
  const { sendsTo, stability, summary, tryOut } = operationDocs[id]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description(operation),
    ...extensionsOf({ deprecation, stability, tryOut: tryOut ?? true }),
    security: [{ [securityScheme]: [] }],
    "x-required-scopes": scopes,
    ...(bodyScope === undefined ? {} : { "x-scope-of-body": bodyScope }),
    parameters: parametersOf(operation),
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, operation.body) }),
    responses: responsesOf(operation),
    ...(sendsTo === undefined ? {} : { callbacks: webhookCallbacks(sendsTo) })
  }
}
