import type { ErrorCode } from "@petstore/core/domain"
import type { Operation } from "./operations.ts"

/** What can go wrong with any operation. */
const always: ReadonlyArray<ErrorCode> = [
  "malformed_request",
  "validation_failed",
  "unauthenticated",
  "invalid_api_key",
  "insufficient_scope",
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

const isList = ({ query }: Operation): boolean => query !== undefined
/** Reads of what has no entity tag, such as lists, are unconditional. */
const isConditional = ({ entityTag, method }: Operation): boolean => entityTag !== undefined || method === "POST"
const changes = ({ method }: Operation): boolean => method !== "GET"

/** Every code that an operation can answer, in no particular order. */
export const errorCodes = (operation: Operation): ReadonlyArray<ErrorCode> => [
  ...always,
  ...operation.errors,
  ...(isList(operation) ? (["invalid_cursor"] as const) : []),
  ...(operation.body === undefined
    ? []
    : (["unsupported_content_type", "payload_too_large", "malformed_json"] as const)),
  ...(operation.idempotencyKey === "ignored" ? [] : (["invalid_idempotency_key"] as const)),
  ...(operation.idempotencyKey === "honoured" ? (["idempotency_in_progress", "idempotency_key_reused"] as const) : []),
  ...(isConditional(operation) ? (["precondition_failed"] as const) : []),
  ...(operation.marks.deprecation === undefined ? [] : (["operation_sunset"] as const)),
  ...(changes(operation) ? (["commit_unknown"] as const) : [])
]
