import { shown } from "../shown.ts"
import { failure, type Violation } from "./PetstoreError.ts"

/** As many as are easy to read in one message. */
const named = 5

const list = (violations: ReadonlyArray<Violation>): string => {
  const first = violations.slice(0, named).map(({ path, message }) => `${path}: ${message}`)
  const more = violations.length - first.length
  return [...first, ...(more > 0 ? [`${more} more`] : [])].join("; ")
}

/** The body is empty, not JSON or not UTF-8. Send one JSON object. */
export class MalformedJson extends failure(
  "MalformedJson",
  "malformed_json",
  400,
  () => "The body is not valid JSON in UTF-8. Send one JSON object."
) {}

/** The request is not valid HTTP. */
export class MalformedRequest extends failure(
  "MalformedRequest",
  "malformed_request",
  400,
  () => "The request could not be parsed as HTTP."
) {}

/** `Content-Type: application/json` is missing, or the body is compressed. */
export class UnsupportedContentType extends failure(
  "UnsupportedContentType",
  "unsupported_content_type",
  400,
  () => "Send the body with Content-Type: application/json and without a coding such as gzip."
) {}

/** The input does not match the schema. `violations` lists every place. */
export class ValidationFailed extends failure(
  "ValidationFailed",
  "validation_failed",
  400,
  () => "The input is invalid."
) {
  static of(violations: ReadonlyArray<Violation>): ValidationFailed {
    return new ValidationFailed({}, { message: `The input is invalid. ${list(violations)}`, violations })
  }
}

/** The cursor is damaged, or belongs to another list or other filters. Start again without a cursor. */
export class InvalidCursor extends failure(
  "InvalidCursor",
  "invalid_cursor",
  400,
  () => "Invalid cursor: it belongs to another list or other filters. Start again without a cursor."
) {}

/** Webhooks are not sent to this URL. `message` says why. */
export class UrlNotAllowed extends failure(
  "UrlNotAllowed",
  "url_not_allowed",
  400,
  () => "Webhooks are not sent to this URL. Use a public https URL."
) {}

/** The key is not 1 to 255 visible ASCII characters, or the operation accepts no key. */
export class InvalidIdempotencyKey extends failure(
  "InvalidIdempotencyKey",
  "invalid_idempotency_key",
  400,
  () =>
    "Invalid idempotency key: send 1 to 255 visible ASCII characters, bare or quoted, and only to operations that accept a key."
) {
  /** Of a value that cannot be a key. */
  static of(received: unknown): InvalidIdempotencyKey {
    return new InvalidIdempotencyKey(
      {},
      { message: `Invalid idempotency key: expected 1 to 255 visible ASCII characters, not ${shown(received)}.` }
    )
  }

  /** Of a key for an operation that accepts none. */
  static ofOperation(): InvalidIdempotencyKey {
    return new InvalidIdempotencyKey(
      {},
      { message: "Invalid idempotency key: this operation accepts none. Send it without one." }
    )
  }
}

/** The body is over the limit in `details`. */
export class PayloadTooLarge extends failure(
  "PayloadTooLarge",
  "payload_too_large",
  413,
  ({ limit }: { readonly limit: number }) => `The body is larger than ${limit} bytes.`
) {}

/** The request line and headers are too large. */
export class HeadersTooLarge extends failure(
  "HeadersTooLarge",
  "headers_too_large",
  431,
  () => "The request line and headers are too large."
) {}

/** The request did not arrive completely in time. */
export class IncompleteRequest extends failure(
  "IncompleteRequest",
  "incomplete_request",
  408,
  () => "The request did not arrive completely in time."
) {}
