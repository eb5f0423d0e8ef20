import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openConnection } from "../../../test/support/RawConnection.ts"
import { type Sending, startServer, type TestServer } from "../../../test/support/TestServer.ts"
import { follow, transcript } from "../../../test/support/transcript.ts"

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
        const as =
          (key: string): TestServer["send"] =>
          (method, path, sending) =>
            server.send(method, path, { ...sending, key })
        const callers = {
          reader: as(yield* server.keyWith(["pets:read"])),
          writer: as(yield* server.keyWith(["pets:write"]))
        }
        yield* follow(
          server.send,
          `at 2031-01-01T00:00:00Z
           writer: GET /v1/pets/1 -> 403 {"code":"insufficient_scope"}
           reader: GET /v1/pets/1?x=1 -> 410 [ratelimit: ] {"code":"operation_sunset"}
           writer: POST /v1/pets { -> 400
           writer: POST /v1/pets { -> 400
           writer: POST /v1/pets [content-type: x/y] { -> 429 {"code":"rate_limited"}`,
          callers
        )
      })
  )

  transcript(
    "given a missing resource, a failed precondition and a wrong state, then they are checked in that order",
    `POST /v1/categories {"name":"Cats"} -> 201
     POST /v1/pets {"name":"Tom","categoryId":1,"status":"sold"} -> 201
     PATCH /v1/pets/9 [if-match: "p7"] {"status":"available"} -> 404 {"code":"not_found"}
     PATCH /v1/pets/1 [if-match: "p7"] {"status":"available"} -> 412 {"code":"precondition_failed"}
     PATCH /v1/pets/1 [if-match: "p1"] {"status":"available"} -> 409 {"code":"invalid_status_transition"}`,
    { isEmpty: true }
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
