import { isThenable } from "./received.ts"
import { WebhookVerificationError } from "./WebhookVerificationError.ts"

/** The headers of a request: a `Headers` object, the `headers` of a request of Node.js, or a plain record. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

type Name = "webhook-id" | "webhook-timestamp" | "webhook-signature"

const valuesOf = (headers: WebhookHeaders, wanted: Name): ReadonlyArray<unknown> => {
  const { get } = headers
  if (typeof get === "function") {
    const value = get.call(headers, wanted)
    return value === null || value === undefined ? [] : [value]
  }
  return Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === wanted && value !== undefined ? value : []
  )
}

const one = (headers: WebhookHeaders, name: Name, isValid: RegExp): string => {
  const [value, ...more] = valuesOf(headers, name)
  if (value === undefined) {
    throw new WebhookVerificationError(
      "missing_header",
      `The header ${name} is missing. Pass all headers of the request, and check that no proxy in front removes it.`
    )
  }
  if (more.length > 0 || typeof value !== "string" || !isValid.test(value)) {
    throw new WebhookVerificationError(
      "malformed_header",
      `The header ${name} does not have the form that Standard Webhooks defines. The request is not from a petstore, or was changed on its way.`
    )
  }
  return value
}

/** The headers of Standard Webhooks. */
interface ParsedHeaders {
  readonly id: string
  readonly timestamp: number
  readonly signatures: ReadonlyArray<string>
}

/** The form of an id. With a dot, two different requests could have the same signed text. */
const id = /^[!-\-/-~]{1,255}$/
const seconds = /^(?:0|[1-9][0-9]{0,11})$/
/** Ten are more than any rotation needs; without a limit, each would cost a digest of the body. */
const signatures = /^[!-~]{1,200}(?: [!-~]{1,200}){0,9}$/

/** Reads the headers of Standard Webhooks, or throws a {@link WebhookVerificationError}. */
export const parseHeaders = (headers: WebhookHeaders): ParsedHeaders => {
  if (typeof headers !== "object" || headers === null) {
    throw new WebhookVerificationError("missing_header", "There are no headers. Pass the headers of the request.")
  }
  if (isThenable(headers)) {
    throw new WebhookVerificationError(
      "missing_header",
      "The headers are a promise: await them, as in await headers()."
    )
  }
  return {
    id: one(headers, "webhook-id", id),
    timestamp: Number(one(headers, "webhook-timestamp", seconds)),
    signatures: one(headers, "webhook-signature", signatures).split(" ")
  }
}
