import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { bytes, pet, testBadRequests } from "../../../test/support/badRequests.ts"
import { startServer } from "../../../test/support/TestServer.ts"
import { transcript } from "../../../test/support/transcript.ts"

describe("a bad header", () => {
  testBadRequests({
    "no content type": {
      raw: bytes(JSON.stringify(pet)),
      headers: { "content-type": "" },
      code: "unsupported_content_type"
    },
    "text/plain": { body: pet, headers: { "content-type": "text/plain" }, code: "unsupported_content_type" },
    "a form": {
      raw: "name=Rex",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      code: "unsupported_content_type"
    },
    "a content type that only begins like JSON": {
      body: pet,
      headers: { "content-type": "application/json-patch+json" },
      code: "unsupported_content_type"
    },
    "a Content-Encoding": { body: pet, headers: { "content-encoding": "gzip" }, code: "unsupported_content_type" },
    "an idempotency key with a blank": {
      body: pet,
      headers: { "idempotency-key": "a b" },
      code: "invalid_idempotency_key"
    },
    "an idempotency key of 10,000 characters": {
      body: pet,
      headers: { "idempotency-key": "x".repeat(10_000) },
      code: "invalid_idempotency_key"
    },
    "an idempotency key with an open quote": {
      body: pet,
      headers: { "idempotency-key": '"abc' },
      code: "invalid_idempotency_key"
    },
    "an idempotency key for a secret": {
      path: "/v1/api-keys",
      body: { accountId: 1, name: "k", preset: "read" },
      headers: { "idempotency-key": "abc" },
      code: "invalid_idempotency_key"
    },
    "an idempotency key for a rotation": {
      path: "/v1/api-keys/1/rotate",
      body: {},
      headers: { "idempotency-key": "abc" },
      code: "invalid_idempotency_key"
    }
  })
})

describe("a header", () => {
  const sending = (header: string) => `POST /v1/messages [${header}] {"message":"Hi"} -> 202`
  transcript(
    "given a Content-Type with parameters or in capitals, then it is accepted",
    `${sending("content-type: application/json; charset=utf-8")}
     ${sending("content-type: application/json;charset=UTF-8")}
     ${sending("content-type: Application/JSON")}
     ${sending("content-type: application/json ; x=y")}`
  )

  transcript(
    "given the Content-Encoding of a body as it is, then it is accepted",
    `${sending("content-encoding: identity")}
     ${sending("content-encoding: Identity")}`
  )

  it.effect("given a request id, then it is kept if it is short and printable, and replaced otherwise", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const idFor = (sent: string) =>
        Effect.map(server.send("GET", "/v1/pets", { headers: { "x-request-id": sent } }), ({ headers }) =>
          headers.get("x-request-id")
        )
      for (const acceptable of ["abc", "a".repeat(128), "2f1c:7/8.9_0-1+2=3@4"])
        assert.strictEqual(yield* idFor(acceptable), acceptable)
      for (const refused of ["a".repeat(129), "x".repeat(10_000), "a b", '"a"', "<script>", "é"]) {
        assert.match((yield* idFor(refused)) ?? "", /^[0-9a-f]{12}-[0-9a-z]+$/)
      }
    })
  )
})
