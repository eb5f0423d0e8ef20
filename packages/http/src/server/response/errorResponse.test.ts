import { assert, describe, it } from "@effect/vitest"
import { catalogue, type ErrorCode, fromBody } from "@petstore/core/domain"
import { errorResponse } from "./errorResponse.ts"

/** The headers that belong to a code, beside its content type. */
const own: { readonly [code in ErrorCode]?: readonly [string, string] } = {
  unauthenticated: ["WWW-Authenticate", 'Bearer realm="petstore"'],
  invalid_api_key: ["WWW-Authenticate", 'Bearer realm="petstore", error="invalid_token"'],
  cross_site_request: ["WWW-Authenticate", 'Bearer realm="petstore"'],
  insufficient_scope: ["WWW-Authenticate", 'Bearer realm="petstore", error="insufficient_scope", scope="pets:read"'],
  method_not_allowed: ["Allow", "GET, HEAD"],
  rate_limited: ["Retry-After", "7"],
  idempotency_in_progress: ["Retry-After", "1"],
  storage_busy: ["Retry-After", "1"],
  storage_full: ["Retry-After", "30"],
  storage_unavailable: ["Retry-After", "30"],
  overloaded: ["Retry-After", "1"],
  too_many_streams: ["Retry-After", "5"],
  shutting_down: ["Retry-After", "5"],
  request_timeout: ["Retry-After", "1"],
  secret_unreadable: ["Retry-After", "30"],
  commit_unknown: ["Retry-After", "1"]
}

const details: { readonly [code in ErrorCode]?: Readonly<Record<string, unknown>> } = {
  insufficient_scope: { scope: "pets:read" },
  method_not_allowed: { allow: ["GET", "HEAD"] },
  rate_limited: { retryAfterSeconds: 7 },
  too_many_streams: { limit: 100, of: "key" }
}

describe("the response for an error", () => {
  for (const [code, { status }] of Object.entries(catalogue)) {
    it(`given ${code}, then it has status ${status} and the body and headers of that error`, () => {
      const known = Object.keys(catalogue).find((name): name is ErrorCode => name === code)
      if (known === undefined) throw new Error(`${code} is not in the catalogue`)
      const error = fromBody({
        code,
        status,
        message: "What to do.",
        ...(details[known] ? { details: details[known] } : {})
      })
      if (error === undefined) throw new Error(`${code} is not an error`)
      const response = errorResponse(error, [], "/petstore/docs")
      assert.strictEqual(response.status, status)
      assert.deepStrictEqual(response.headers, [
        "Cache-Control",
        "no-store",
        ...(own[known] ?? []),
        "Link",
        `</petstore/docs/errors/${code}>; rel="help"`,
        "Content-Type",
        "application/json"
      ])
      const { message, ...body } = JSON.parse(response.body)
      assert.deepStrictEqual(body, { code, status, ...(details[known] ? { details: details[known] } : {}) })
      assert.strictEqual(
        message,
        status === 500 ? "Internal error. Nothing was changed. The log has the cause." : "What to do."
      )
    })
  }
})
