import { cursorPattern, limits } from "@petstore/core/domain"
import { memoize } from "effect/Function"
import * as Schema from "effect/Schema"
import type { ParameterDocs } from "../api/docs.ts"
import type { EntityTagKind } from "../api/EntityTag.ts"
import type { PlainSchema } from "../api/operation.ts"
import type { Operation } from "../api/operations.ts"
import type { pageParameters } from "../api/parameters.ts"
import { fromJsonSchema } from "./fromJsonSchema.ts"
import { entityTagExamples, kindNames } from "./headers.ts"
import type { OrReference, ParameterObject, Reference, SchemaObject } from "./OpenApi.ts"
import { operationDocs, pathParameterDocs } from "./operationDocs.ts"

/** The parameters that every list has. */
const pageDocs: { readonly [Name in keyof typeof pageParameters]: ParameterDocs } = {
  limit: {
    description: `The maximum number of items on the page. Default: ${limits.defaultPage}.`,
    example: limits.defaultPage
  },
  cursor: {
    description: 'Where the page starts: take it from the `rel="next"` link of the previous page. Treat it as opaque.',
    pattern: cursorPattern.source
  }
}

const bareKey = "[\\x21\\x23-\\x7e][\\x21-\\x7e]{0,254}"
const quotedKey = '"(?:[\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}"'
const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e]*"'
/** A list may have empty elements (RFC 9110, section 5.6.1). */
const entityTagList = `(?:[ \\t]*,)*[ \\t]*${entityTag}(?:[ \\t]*,(?:[ \\t]*${entityTag})?)*[ \\t]*`
const entityTags = `^(?:\\*|${entityTagList})$`

/**
 * The description and the example of a parameter. Tools send what is in `example`, and a condition, a key or a cursor that was
 * made up refuses the request: only parameters that are required have one, the others have it in their text.
 */
const illustrated = (
  description: string,
  example: unknown,
  required: boolean
): Pick<ParameterObject, "description" | "required" | "example"> => {
  if (required) return { description, required, ...(example === undefined ? {} : { example }) }
  return {
    description: example === undefined ? description : `${description} For example: \`${[example].flat()[0]}\`.`
  }
}

const header = (
  name: string,
  description: string,
  schema: SchemaObject,
  example: string,
  required = false
): ParameterObject => ({ name, in: "header", ...illustrated(description, example, required), schema })

/** Both conditional headers of each kind of entity tag. */
const conditions = Object.fromEntries(
  Object.entries(entityTagExamples).flatMap(([kind, example]) => {
    const name = kindNames[kind as EntityTagKind]
    const schema: SchemaObject = { type: "string", pattern: entityTags }
    const match =
      "Proceed only if the resource has one of these entity tags, or `*`; otherwise 412. Weak tags never match."
    const noneMatch =
      "Proceed only if the resource has none of these entity tags; otherwise a read responds with 304, a change with 412."
    return [
      [`${name}IfMatch`, header("If-Match", match, schema, example)],
      [`${name}IfNoneMatch`, header("If-None-Match", noneMatch, schema, example)]
    ]
  })
)

/** The parameters that several operations share, by the names of their components. */
const shared: Readonly<Record<string, ParameterObject>> = {
  RequestId: header(
    "X-Request-Id",
    "An id for the request, used in the log and in the response: 1 to 128 letters, digits or `_.:/+=@-`. The server replaces any other value.",
    { type: "string" },
    "checkout-4711"
  ),
  IdempotencyKey: header(
    "Idempotency-Key",
    "Makes the request safe to retry: with the same key, input and conditions, the server responds with the stored result of the first success. Results are stored per account for 7 days. A key is 1 to 255 visible ASCII characters, bare or as a quoted string.",
    { type: "string", pattern: `^(?:${bareKey}|${quotedKey})$` },
    "8e03978e-40d5-43e8-bc93-6894a57f9324"
  ),
  LastEventID: header(
    "Last-Event-ID",
    "The `id` of the last event that was received: the stream continues after it. It counts more than `after`, and `EventSource` sends it by itself.",
    { type: "string", pattern: "^(?:0|[1-9][0-9]{0,15})$" },
    "41"
  ),
  WebhookEventId: header(
    "webhook-id",
    "The `id` of the event, the same each time that it is sent: handle each id once.",
    { type: "string", pattern: "^[\\x21-\\x2d\\x2f-\\x7e]{1,255}$" },
    "evt_01jz3v9k2m4n6p8q",
    true
  ),
  WebhookTimestamp: header(
    "webhook-timestamp",
    "When the request was made, in seconds since 1970. Reject requests that are older than a few minutes.",
    { type: "string", pattern: "^(?:0|[1-9][0-9]{0,11})$" },
    "1777887000",
    true
  ),
  WebhookSignature: header(
    "webhook-signature",
    "One signature for each secret of the webhook, separated by spaces: `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>` ([Standard Webhooks](https://www.standardwebhooks.com)). During the rotation of a secret there are two.",
    { type: "string", pattern: "^v1,[A-Za-z0-9+/]{43}=(?: v1,[A-Za-z0-9+/]{43}=)*$" },
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    true
  ),
  ...conditions
}

export const parameterReference = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })

const componentName = (parameter: string): string => parameter.charAt(0).toUpperCase() + parameter.slice(1)

const propertiesOf = (schema: PlainSchema): Readonly<Record<string, OrReference<SchemaObject>>> => {
  const converted = fromJsonSchema(Schema.toJsonSchemaDocument(schema).schema)
  return "$ref" in converted ? {} : (converted.properties ?? {})
}

const isText = (schema: OrReference<SchemaObject>): boolean =>
  "$ref" in schema || schema.type === "string" || schema.type === "object"

/** The schemas of parameters: of the value if it is a number or a boolean, else of the text that is sent. */
const valueSchemas = memoize((schema: PlainSchema): ReadonlyArray<readonly [string, OrReference<SchemaObject>]> => {
  const sent = propertiesOf(schema)
  return Object.entries(propertiesOf(Schema.toType(schema))).map(([name, meant]) => [
    name,
    isText(meant) ? (sent[name] ?? meant) : meant
  ])
})

const described = (
  name: string,
  schema: OrReference<SchemaObject>,
  kind: "path" | "query",
  docs: Readonly<Record<string, ParameterDocs>>
): ParameterObject => {
  const text = docs[name]
  if (text === undefined)
    throw new TypeError(`The ${kind} parameter ${name} has no documentation: add it beside its operation in src/api`)
  const repeated = !("$ref" in schema) && schema.type === "array"
  return {
    name,
    in: kind,
    ...illustrated(text.description, text.example, kind === "path" || text.required === true),
    ...(repeated ? { style: "form", explode: true } : {}),
    schema: text.pattern === undefined ? schema : { ...schema, pattern: text.pattern }
  }
}

const pathParameters = ({ params }: Operation): ReadonlyArray<ParameterObject> =>
  params === undefined
    ? []
    : valueSchemas(params).map(([name, schema]) => described(name, schema, "path", pathParameterDocs))

const queryParameters = ({ id, query }: Operation): ReadonlyArray<ParameterObject> => {
  if (query === undefined) return []
  const docs = { ...pageDocs, ...operationDocs[id].query }
  return valueSchemas(query).map(([name, schema]) => described(name, schema, "query", docs))
}

const headerParameters = ({ entityTag, idempotencyKey, method, streams }: Operation): ReadonlyArray<string> => [
  ...(streams === true ? ["LastEventID"] : []),
  ...(idempotencyKey === "honoured" ? ["IdempotencyKey"] : []),
  // The target of a creation is the list, which has no tag: neither header is of use there.
  ...(entityTag === undefined || method === "POST"
    ? []
    : [`${kindNames[entityTag]}IfMatch`, `${kindNames[entityTag]}IfNoneMatch`]),
  "RequestId"
]

/** Whether every list has the parameter. */
const isPage = ({ name }: ParameterObject): boolean => Object.hasOwn(pageDocs, name)

export const parametersOf = (operation: Operation): ReadonlyArray<OrReference<ParameterObject>> => [
  ...pathParameters(operation).map((parameter) => {
    const example = operationDocs[operation.id].params?.[parameter.name]
    return example === undefined ? parameterReference(componentName(parameter.name)) : { ...parameter, example }
  }),
  ...queryParameters(operation).map((parameter) =>
    isPage(parameter) ? parameterReference(componentName(parameter.name)) : parameter
  ),
  ...headerParameters(operation).map(parameterReference)
]

/** The parameters that operations refer to. */
export const parameterComponents = (
  operations: ReadonlyArray<Operation>
): Readonly<Record<string, ParameterObject>> => ({
  ...Object.fromEntries(
    operations
      .flatMap((operation) => [...pathParameters(operation), ...queryParameters(operation).filter(isPage)])
      .map((parameter) => [componentName(parameter.name), parameter])
  ),
  ...shared
})
