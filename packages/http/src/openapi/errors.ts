import { catalogue, type ErrorBody, type ErrorCode, inputOf } from "@petstore/core/domain"
import { isList, type Operation } from "../api/operations.ts"

/** The codes of every operation. */
const common: ReadonlyArray<ErrorCode> = [
  "malformed_request",
  "validation_failed",
  "unauthenticated",
  "invalid_api_key",
  "method_not_allowed",
  "incomplete_request",
  "rate_limited",
  "headers_too_large",
  "internal_error",
  "storage_busy",
  "storage_full",
  "storage_unavailable",
  "overloaded",
  "shutting_down",
  "request_timeout"
]

const changes = ({ method }: Operation): boolean => method !== "GET"
/** Reads without an entity tag, such as lists, are unconditional. */
const isConditional = (operation: Operation): boolean => operation.entityTag !== undefined || changes(operation)

/** Every code that an operation can respond with, in no particular order: its own, and those that its contract implies. */
export const errorCodes = (operation: Operation): ReadonlySet<ErrorCode> =>
  new Set<ErrorCode>([
    ...common,
    ...(inputOf(operation.useCase).errors ?? []),
    ...(operation.scopes.length === 0 ? [] : (["insufficient_scope"] as const)),
    ...(isList(operation) ? (["invalid_cursor"] as const) : []),
    ...(operation.body === undefined
      ? []
      : (["unsupported_content_type", "payload_too_large", "malformed_json"] as const)),
    ...(operation.idempotencyKey === "ignored" ? [] : (["invalid_idempotency_key"] as const)),
    ...(operation.idempotencyKey === "honoured"
      ? (["idempotency_in_progress", "idempotency_key_reused"] as const)
      : []),
    ...(isConditional(operation) ? (["precondition_failed"] as const) : []),
    ...(operation.deprecation === undefined ? [] : (["operation_sunset"] as const)),
    ...(changes(operation) ? (["commit_unknown", "cross_site_request"] as const) : [])
  ])

export const byStatus = (codes: Iterable<ErrorCode>): ReadonlyMap<ErrorStatus, ReadonlyArray<ErrorCode>> => {
  const groups = new Map<ErrorStatus, Array<ErrorCode>>()
  for (const code of [...new Set(codes)].sort()) {
    const { status } = catalogue[code]
    groups.set(status, [...(groups.get(status) ?? []), code])
  }
  return groups
}

type Catalogue = typeof catalogue

export type ErrorStatus = Catalogue[ErrorCode]["status"]

/** The meaning of each status, with any of its codes. */
export const statusDescriptions: Readonly<Record<ErrorStatus, string>> = {
  400: "The request is malformed, or its input is invalid. Nothing was changed: correct the request.",
  401: "The API key is missing or invalid, or the `Authorization` header does not have the form `Bearer <API_KEY>`.",
  403: "The API key lacks a required scope, or a web page of another origin sent a change.",
  404: "The resource does not exist, or it was deleted.",
  405: "The path does not support the method; `Allow` lists the methods that it supports.",
  408: "The request did not arrive completely in time.",
  409: "The current state does not allow the request. Nothing was changed. `details` contains the current values.",
  410: "The operation has ended, or the events after this position are no longer kept.",
  412: "The resource does not meet `If-Match` or `If-None-Match`, for example because it has changed since it was read. Nothing was changed: read it again.",
  413: "The body is too large.",
  422: "The idempotency key was already used for a different request.",
  429: "A limit is reached, such as the rate limit of the API key. Retry after the number of seconds in `Retry-After`.",
  431: "The request line and headers are too large.",
  500: "An unexpected error in the server.",
  501: "The server does not know the method.",
  503: "The server cannot handle the request. Retry it after the number of seconds in `Retry-After`."
}

type DetailsOf<Code extends ErrorCode> = ConstructorParameters<Catalogue[Code]>[0]

/** The details of the examples, of every code that has details. */
const details: {
  readonly [Code in ErrorCode as Record<never, never> extends DetailsOf<Code> ? never : Code]: DetailsOf<Code>
} = {
  insufficient_scope: { scope: "pets:write" },
  method_not_allowed: { allow: ["GET", "HEAD"] },
  insufficient_stock: { petId: 1, requested: 4, available: 3 },
  pet_not_available: { petId: 1, status: "sold", quantity: 0 },
  order_limit_exceeded: { limit: "openOrders", maximum: 100, held: 100, requested: 1 },
  pet_reserved: { petId: 1, reserved: 2 },
  pet_has_open_orders: { petId: 1, reserved: 2 },
  not_indexed: { name: "orders.createdAt" },
  external_id_taken: { externalId: "SKU-1042" },
  invalid_status_transition: { petId: 1, from: "sold", to: "available" },
  quantity_below_reserved: { petId: 1, quantity: 1, reserved: 2 },
  stock_limit_exceeded: { petId: 1, quantity: 2_147_483_650, limit: 2_147_483_647 },
  order_already_complete: { orderId: 1 },
  unknown_pet: { petId: 99 },
  unknown_category: { categoryId: 99 },
  category_name_taken: { name: "Dogs" },
  category_in_use: { categoryId: 1 },
  unknown_account: { accountId: 99 },
  account_name_taken: { name: "Corner shop" },
  last_admin_key: { keyId: 1 },
  message_already_delivered: { messageId: "msg_01jz3v9k2m4n6p8q" },
  cursor_expired: { earliest: 1042 },
  operation_sunset: { sunset: "2030-12-05", successor: "/v1/store/pets/1" },
  secret_unreadable: { webhookId: 1 },
  payload_too_large: { limit: 262_144 },
  rate_limited: { retryAfterSeconds: 1 },
  too_many_streams: { limit: 100, of: "key" }
}

/** An example of the body of an error. That of `validation_failed` can occur with every operation. */
export const errorExample = (code: ErrorCode): ErrorBody => {
  if (code === "validation_failed") {
    return catalogue.validation_failed
      .of([{ path: "/query/limit", message: "Expected a whole number from 1 to 100, not 0" }])
      .toJSON()
  }
  if (code === "not_found") return catalogue.not_found.of("pet", 99).toJSON()
  // Each code has the details of its own class.
  const KnownError: new (details: never) => { readonly toJSON: () => ErrorBody } = catalogue[code]
  const given: { readonly [code in ErrorCode]?: unknown } = details
  return new KnownError((given[code] ?? {}) as never).toJSON()
}
