import { catalogue, type ErrorCode, inputOf } from "@petstore/core/domain"
import { memoize } from "effect/Function"
import { isCounted, isList, type Operation, operations, parameterNames } from "../api/operations.ts"
import { byStatus, type ErrorStatus, errorCodes, statusDescriptions } from "./errors.ts"
import { schemaReference } from "./fromJsonSchema.ts"
import { headerReference, kindNames } from "./headers.ts"
import type { HeaderObject, LinkObject, OrReference, Reference, ResponseObject, Responses } from "./OpenApi.ts"
import { operationDocs } from "./operationDocs.ts"
import { eventFrame, successSchema } from "./schemas.ts"

type Headers = Readonly<Record<string, OrReference<HeaderObject>>>

const outcomeUnknown =
  " Nothing was changed, unless `code` is `commit_unknown`: then the outcome is unknown. Retry with the same `Idempotency-Key` or `If-Match`, so that the change is not made twice."

const descriptionOf = (status: ErrorStatus, codes: ReadonlyArray<ErrorCode>): string =>
  statusDescriptions[status] + (codes.includes("commit_unknown") ? outcomeUnknown : "")

const requestId: Headers = { "X-Request-Id": headerReference("RequestId") }

const rateLimit: Headers = {
  RateLimit: headerReference("RateLimit"),
  "RateLimit-Policy": headerReference("RateLimitPolicy")
}

/** How often a response has a header. */
type Presence = "never" | "sometimes" | "always"

/** How often the responses of a status have a header, by the presence with each of its codes. */
const presenceAmong = (codes: ReadonlyArray<ErrorCode>, presenceOf: (code: ErrorCode) => Presence): Presence => {
  const [first = "never", ...others] = new Set(codes.map(presenceOf))
  return others.length === 0 ? first : "sometimes"
}

const retryAfter: Readonly<Record<Presence, Headers>> = {
  never: {},
  sometimes: { "Retry-After": headerReference("OptionalRetryAfter") },
  always: { "Retry-After": headerReference("RetryAfter") }
}

const retried = (code: ErrorCode): Presence => {
  const { status } = catalogue[code]
  return status === 429 || status === 503 || code === "idempotency_in_progress" ? "always" : "never"
}

const errorHeaders = (status: number, codes: ReadonlyArray<ErrorCode>): Headers => ({
  ...requestId,
  "Cache-Control": headerReference("NoStore"),
  ...(status === 401 || status === 403 ? { "WWW-Authenticate": headerReference("Authenticate") } : {}),
  ...(status === 405 ? { Allow: headerReference("Allow") } : {}),
  ...retryAfter[presenceAmong(codes, retried)],
  Link: headerReference("ErrorPageLink")
})

export const exampleReference = (name: string): Reference => ({ $ref: `#/components/examples/${name}` })

/** What a body looks like: its example, or several. */
export const bodyExample = (id: Operation["id"], side: "request" | "response") => {
  const { another, [side]: example } = operationDocs[id]
  return another === undefined
    ? { example }
    : { examples: { first: { value: example }, another: { value: another[side] } } }
}

/** The response with these codes, which all have this status. */
export const errorResponse = (
  status: ErrorStatus,
  codes: ReadonlyArray<ErrorCode>,
  headers: Headers = {}
): ResponseObject => ({
  description: descriptionOf(status, codes),
  headers: { ...errorHeaders(status, codes), ...headers },
  content: {
    "application/json": {
      schema: schemaReference("Error"),
      examples: Object.fromEntries(codes.map((code) => [code, exampleReference(code)]))
    }
  },
  "x-error-codes": codes
})

const deprecation: Readonly<Record<Presence, Headers>> = {
  never: {},
  sometimes: {
    Deprecation: headerReference("OptionalDeprecation"),
    Sunset: headerReference("OptionalSunset"),
    Link: headerReference("OptionalDeprecationLinks")
  },
  always: {
    Deprecation: headerReference("Deprecation"),
    Sunset: headerReference("Sunset"),
    Link: headerReference("DeprecationLinks")
  }
}

/** Codes of requests that reach no operation, and of those that may reach one before their body ends. */
const withoutOperation = new Set<ErrorCode>(["method_not_allowed", "headers_too_large"])
const unfinished = new Set<ErrorCode>(["malformed_request", "incomplete_request"])

/** How often a request reaches the operation before it is rejected with a code. */
const reached = (operation: Operation, code: ErrorCode): Presence => {
  if (withoutOperation.has(code)) return "never"
  if (unfinished.has(code)) return operation.body === undefined ? "never" : "sometimes"
  return "always"
}

/** Codes of rejections before a request counts towards the rate limit of its key. */
const uncounted = new Set<ErrorCode>(["cross_site_request", "unauthenticated", "invalid_api_key", "operation_sunset"])

/** Whether a scope depends on the body, or on the types in the query, which are read later than the key. */
const hasScopeOfInput = ({ bodyScope, query, typeScopes }: Operation): boolean =>
  bodyScope !== undefined || (typeScopes !== undefined && query !== undefined)

/** Whether a request that is rejected with a code may have counted towards the rate limit of its key. */
const mayCount = (operation: Operation, code: ErrorCode): boolean => {
  if (code === "insufficient_scope") return hasScopeOfInput(operation)
  return !uncounted.has(code) && reached(operation, code) !== "never"
}

const announcements = (operation: Operation, presence: Presence): Headers =>
  operation.deprecation === undefined ? {} : deprecation[presence]

const mediaTypeOf = ({ streams }: Operation): string => (streams === true ? "text/event-stream" : "application/json")

const successHeaders = (operation: Operation): Headers => {
  const { entityTag, idempotencyKey, location, secret, streams, success } = operation
  return {
    ...requestId,
    ...rateLimit,
    ...(isList(operation) ? { Link: headerReference("NextPageLink") } : {}),
    ...(isCounted(operation) ? { "Total-Count": headerReference("TotalCount") } : {}),
    ...(location === undefined ? {} : { Location: headerReference("Location") }),
    ...(entityTag === undefined || success === undefined
      ? {}
      : { ETag: headerReference(`${kindNames[entityTag]}Tag`) }),
    ...(idempotencyKey === "honoured" ? { "Idempotent-Replayed": headerReference("IdempotentReplayed") } : {}),
    "Cache-Control": headerReference(streams === true ? "LiveStream" : secret ? "NoStore" : "PrivateResponse"),
    ...(streams === true ? { "X-Accel-Buffering": headerReference("Unbuffered") } : {})
  }
}

/** Equal for paths that differ only in the names of their parameters. */
const shape = (path: string): string => path.replace(/:\w+/g, ":")

/** The parameter that identifies the resource at a location. */
const identifier = (location: string): string | undefined => {
  const read = operations.find(({ method, path }) => method === "GET" && shape(path) === shape(location))
  return read === undefined ? undefined : parameterNames(read.path)[0]
}

/** Links from a created resource to every operation on it. */
const linksOf = ({ location }: Operation): Readonly<Record<string, LinkObject>> => {
  if (location === undefined) return {}
  const name = identifier(location)
  const [field] = parameterNames(location)
  if (name === undefined || field === undefined) throw new TypeError(`No operation reads ${location}`)
  const takers = operations.filter(
    ({ deprecation, path }) => deprecation === undefined && parameterNames(path).join() === name
  )
  return Object.fromEntries(
    takers.map(({ id }) => [
      id,
      {
        operationId: id,
        description: `${operationDocs[id].summary}.`,
        parameters: { [name]: `$response.body#/${field}` }
      }
    ])
  )
}

const successResponse = (operation: Operation): ResponseObject => {
  const { id, streams, success } = operation
  const links = linksOf(operation)
  return {
    description: operationDocs[id].success,
    headers: { ...successHeaders(operation), ...announcements(operation, "always") },
    ...(success === undefined
      ? {}
      : {
          content: {
            [mediaTypeOf(operation)]: {
              schema: successSchema(success),
              ...(streams === true ? { "x-itemSchema": eventFrame } : {}),
              ...bodyExample(id, "response")
            }
          }
        }),
    ...(Object.keys(links).length === 0 ? {} : { links })
  }
}

const notModified = (operation: Operation): ResponseObject => ({
  description: "The resource still has one of the entity tags in `If-None-Match`.",
  headers: {
    ...requestId,
    ...rateLimit,
    "Cache-Control": headerReference("PrivateResponse"),
    ETag: headerReference("ETag"),
    ...announcements(operation, "always")
  }
})

/** The same response, if rules of the host application may reject the operation too. */
const withHostCodes = (response: ResponseObject): ResponseObject => ({
  ...response,
  description: `${response.description} Rules of the application that embeds this server may also reject the request, with their own codes.`,
  "x-host-codes": true
})

const errorResponses = (operation: Operation): ReadonlyArray<readonly [number, ResponseObject]> =>
  [...byStatus(errorCodes(operation))].map(([status, codes]) => {
    const response = errorResponse(status, codes, {
      ...(codes.some((code) => mayCount(operation, code)) ? rateLimit : {}),
      ...announcements(
        operation,
        presenceAmong(codes, (code) => reached(operation, code))
      )
    })
    return [status, status === 409 && inputOf(operation.useCase).hostRules ? withHostCodes(response) : response]
  })

/** Every response of an operation, by its status. */
const allResponses = memoize(
  (operation: Operation): ReadonlyArray<readonly [number, ResponseObject]> => [
    [operation.status, successResponse(operation)],
    ...(operation.method === "GET" && operation.entityTag !== undefined
      ? [[304, notModified(operation)] as const]
      : []),
    ...errorResponses(operation)
  ]
)

/** A name, and the codes that a response of this name has at least. */
type NameOfCodes = readonly [name: string, ...codes: ReadonlyArray<ErrorCode>]

/** The names of shared responses whose codes differ between operations, by their status: the first that fits. */
const namesByCodes: { readonly [status: number]: ReadonlyArray<NameOfCodes> } = {
  400: [
    ["BadWebhookCreation", "url_not_allowed", "invalid_idempotency_key"],
    ["BadWebhookChange", "url_not_allowed"],
    ["BadCommand", "invalid_idempotency_key", "malformed_json"],
    ["BadDeletion", "invalid_idempotency_key"],
    ["BadChange", "malformed_json"],
    ["BadIndexedPage", "not_indexed"],
    ["BadPage", "invalid_cursor"],
    ["BadRequest"]
  ],
  429: [["TooManyStreams", "too_many_streams"], ["TooManyRequests"]],
  503: [
    ["WebhookChangeUnavailable", "secret_unreadable", "commit_unknown"],
    ["WebhookUnavailable", "secret_unreadable"],
    ["ChangeUnavailable", "commit_unknown"],
    ["ServiceUnavailable"]
  ]
}

/** The names of other shared responses, by their status; without and with the rate limit headers if both occur. */
const names: { readonly [status: number]: readonly [name: string, counted?: string] } = {
  304: ["NotModified"],
  401: ["Unauthorized"],
  403: ["Forbidden", "ForbiddenInput"],
  404: ["NotFound"],
  405: ["MethodNotAllowed"],
  408: ["RequestTimeout", "BodyTimeout"],
  412: ["PreconditionFailed"],
  413: ["ContentTooLarge"],
  422: ["UnprocessableContent"],
  431: ["HeadersTooLarge"],
  500: ["InternalServerError"]
}

const sharedName = (
  status: number,
  { headers = {}, "x-error-codes": codes = [] }: ResponseObject
): string | undefined => {
  // The responses of a deprecated operation have headers of their own.
  if ("Deprecation" in headers) return undefined
  const fitting = namesByCodes[status]?.find(([, ...required]) => required.every((code) => codes.includes(code)))
  if (fitting !== undefined) return fitting[0]
  const [name, counted = name] = names[status] ?? []
  if (name === undefined) return undefined
  return ("RateLimit" in headers ? counted : name) + (codes.includes("cross_site_request") ? "Change" : "")
}

export const responsesOf = (operation: Operation): Responses =>
  Object.fromEntries(
    allResponses(operation).map(([status, response]) => {
      const name = sharedName(status, response)
      return [status, name === undefined ? response : { $ref: `#/components/responses/${name}` as const }]
    })
  )

/** The responses that operations refer to. */
export const responseComponents = (operations: ReadonlyArray<Operation>): Readonly<Record<string, ResponseObject>> => {
  const components: Record<string, ResponseObject> = {}
  for (const operation of operations) {
    for (const [status, response] of allResponses(operation)) {
      const name = sharedName(status, response)
      if (name === undefined) continue
      const before = components[name] ?? response
      if (JSON.stringify(before) !== JSON.stringify(response)) throw new TypeError(`Two responses are named ${name}`)
      components[name] = response
    }
  }
  return components
}
