import type { Deprecation, PlainSchema } from "../api/operation.ts"
import { type Operation, pathTemplate } from "../api/operations.ts"
import { extensionsOf } from "./extensions.ts"
import type { OperationObject, RequestBody } from "./OpenApi.ts"
import { operationDocs } from "./operationDocs.ts"
import { parametersOf } from "./parameters.ts"
import { bodyExample, responsesOf } from "./responses.ts"
import { bodySchema } from "./schemas.ts"
import { webhookCallbacks } from "./webhooks.ts"

/** The name of the one security scheme. */
export const securityScheme = "apiKey"

const code = (text: string): string => `\`${text}\``

const scopeSentence = ({ allOrdersScope, bodyScope, ownScope, scopes, typeScopes }: Operation): string => {
  if (scopes.length === 0) return "No scope is needed: every caller who is authenticated may use it."
  const every = scopes.map(code).join(" and ")
  const always = [
    every,
    ...(typeScopes === undefined ? [] : [`(or ${typeScopes.map(code).join(", ")}, each for events of its types)`]),
    ...(ownScope === undefined ? [] : [`(or ${code(ownScope)}, for your own orders)`])
  ].join(" ")
  const sentences = [
    bodyScope === undefined
      ? `Scope: ${always}.`
      : `Scope: ${always}, and ${code(bodyScope.scope)} if ${code(bodyScope.field)} is true${bodyScope.of === undefined ? "" : ` in any of ${code(bodyScope.of)}`}.`
  ]
  if (bodyScope?.sufficesAlone === true) {
    sentences.push(`A body with only ${code(bodyScope.field)} requires only ${code(bodyScope.scope)}.`)
  }
  if (allOrdersScope !== undefined) {
    sentences.push(
      `A caller with ${code("orders:own")} also needs ${code(allOrdersScope)}, because the result names orders.`
    )
  }
  return sentences.join(" ")
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
  content: { "application/json": { schema: bodySchema(body), ...bodyExample(id, "request") } }
})

/** The description of an operation. */
export const operationObject = (operation: Operation): OperationObject => {
  const { bodyScope, deprecation, id, ownScope, scopes, tag, typeScopes } = operation
  const { sendsTo, stability, summary, tryOut } = operationDocs[id]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description(operation),
    ...extensionsOf({ deprecation, stability, tryOut: tryOut ?? true }),
    security: [{ [securityScheme]: [] }],
    "x-required-scopes": scopes,
    ...(typeScopes === undefined ? {} : { "x-scopes-for-types": typeScopes }),
    ...(ownScope === undefined ? {} : { "x-scope-for-own": ownScope }),
    ...(bodyScope === undefined ? {} : { "x-scope-of-body": bodyScope }),
    parameters: parametersOf(operation),
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, operation.body) }),
    responses: responsesOf(operation),
    ...(sendsTo === undefined ? {} : { callbacks: webhookCallbacks(sendsTo) })
  }
}
