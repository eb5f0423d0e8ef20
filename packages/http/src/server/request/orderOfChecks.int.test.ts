import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { openConnection } from "../../../test/support/RawConnection.ts"
import { type Sending, startServer } from "../../../test/support/TestServer.ts"

const codeOf = (body: unknown) => (body as { readonly code?: string } | undefined)?.code

describe("the checks of a request", () => {
  // Each request has all faults that are still listed; the response is for the first of them.
  const order: ReadonlyArray<{ readonly code: string; readonly path?: string; readonly method?: string } & Sending> = [
    { code: "not_found", path: "/v1/store/order", method: "PUT" },
    { code: "method_not_allowed", method: "PUT" },
    { code: "unauthenticated", headers: { authorization: "Basic x" } },
    { code: "invalid_api_key", headers: { authorization: "Bearer x" } },
    { code: "unsupported_content_type", headers: { "content-type": "text/plain" } },
    { code: "payload_too_large" },
    { code: "malformed_json", raw: '{"petId":0' },
    { code: "validation_failed", raw: '{"petId":0,"complete":true}' },
    { code: "insufficient_scope", raw: '{"petId":9,"complete":true}' },
    { code: "invalid_idempotency_key", raw: '{"petId":9}' },
    { code: "precondition_failed", raw: '{"petId":9}', headers: { "idempotency-key": "abc" } },
    { code: "unknown_pet", raw: '{"petId":9}', headers: { "idempotency-key": "abc", "if-match": "*" } }
  ]
  const withoutBadQuery = ["insufficient_scope", "invalid_idempotency_key", "precondition_failed", "unknown_pet"]

  it.effect("given several faults, then the response is for the first in the order of checks", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ bodyLimit: 100 })
      const limited = yield* server.keyWith(["orders:write"])
      const wrong = { "idempotency-key": "a b", "if-match": '"v1"' }
      for (const { code, headers, method = "POST", path = "/v1/store/orders?x=1", raw = "x".repeat(101) } of order) {
        const valid = withoutBadQuery.includes(code)
        const reply = yield* server.send(method, valid ? "/v1/store/orders" : path, {
          key: limited,
          raw,
          headers: { ...wrong, ...headers }
        })
        assert.strictEqual(codeOf(reply.body), code, reply.text)
      }
    })
  )

  it.effect(
    "look at the scope before the sunset, at the sunset before the rate limit, and at that before the body",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer({ rateLimit: 2 })
        const reader = yield* server.keyWith(["pets:read"])
        const writer = yield* server.keyWith(["pets:write"])
        yield* TestClock.setTime(Date.parse("2031-01-01T00:00:00Z"))
        assert.strictEqual(
          codeOf((yield* server.send("GET", "/v1/pets/1", { key: writer })).body),
          "insufficient_scope"
        )
        const ended = yield* server.send("GET", "/v1/pets/1?x=1", { key: reader })
        assert.strictEqual(codeOf(ended.body), "operation_sunset")
        assert.isNull(ended.headers.get("ratelimit"))
        for (let n = 0; n < 2; n++) yield* server.send("POST", "/v1/pets", { key: writer, raw: "{" })
        const limited = yield* server.send("POST", "/v1/pets", {
          key: writer,
          raw: "{",
          headers: { "content-type": "x/y" }
        })
        assert.strictEqual(codeOf(limited.body), "rate_limited")
      })
  )

  it.effect(
    "given a missing resource, a failed precondition and a wrong state, then they are checked in that order",
    () =>
      Effect.gen(function* () {
        const { send } = yield* startServer()
        yield* send("POST", "/v1/categories", { body: { name: "Cats" } })
        yield* send("POST", "/v1/pets", { body: { name: "Tom", categoryId: 1, status: "sold" } })
        const update = (pet: number, tag: string) =>
          Effect.map(
            send("PATCH", `/v1/pets/${pet}`, { body: { status: "available" }, headers: { "if-match": tag } }),
            ({ body }) => codeOf(body)
          )
        assert.strictEqual(yield* update(9, '"p7"'), "not_found")
        assert.strictEqual(yield* update(1, '"p7"'), "precondition_failed")
        assert.strictEqual(yield* update(1, '"p1"'), "invalid_status_transition")
      })
  )

  it.effect("given a refusal by the headers, then it comes before the body has arrived", () =>
    Effect.gen(function* () {
      const { adminKey, server } = yield* startServer({ bodyLimit: 100 })
      const connection = yield* openConnection(server.port)
      const ask = (key: string, length: number, type: string) =>
        connection.write(
          `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
        )
      yield* ask("wrong", 5, "application/json")
      assert.strictEqual((yield* connection.reply).status, 401)
      yield* connection.write("12345")
      yield* ask(adminKey, 5, "text/plain")
      assert.strictEqual(codeOf((yield* connection.reply).body), "unsupported_content_type")
      yield* connection.write("12345")
      yield* ask(adminKey, 101, "application/json")
      assert.strictEqual((yield* connection.reply).status, 413)
    })
  )
})
