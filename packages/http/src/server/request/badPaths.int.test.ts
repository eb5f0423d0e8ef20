import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { pathsOf, testBadRequests } from "../../../test/support/badRequests.ts"
import { startServer } from "../../../test/support/TestServer.ts"

describe("a bad path or query", () => {
  testBadRequests({
    "a path, a query and a body that are all wrong": {
      method: "PATCH",
      path: "/v1/pets/abc?force=1",
      body: { name: "", age: 3 },
      headers: { "if-match": "v1" },
      code: "validation_failed",
      paths: ["/path/petId", "/query/force", "/body/age", "/body/name", "/header/If-Match"]
    },
    "a cursor that was made up": { method: "GET", path: "/v1/pets?cursor=forged", code: "invalid_cursor" },
    "a cursor with characters that none has": { method: "GET", path: "/v1/pets?cursor=%00", code: "invalid_cursor" },
    "an endless cursor": { method: "GET", path: `/v1/pets?cursor=${"x".repeat(5_000)}`, code: "invalid_cursor" },
    "an unknown parameter": {
      method: "GET",
      path: "/v1/pets?colour=red",
      code: "validation_failed",
      paths: ["/query/colour"]
    },
    "a repeated parameter": {
      method: "GET",
      path: "/v1/pets?limit=1&limit=2",
      code: "validation_failed",
      paths: ["/query/limit"]
    }
  })

  it.effect("given any of these ids in the path, then every operation with an id rejects it", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const ids = [
        "0",
        "-1",
        "1.5",
        "abc",
        "1e3",
        "007",
        "+5",
        "%20",
        "9007199254740992",
        "1e400",
        "%zz",
        "%ff",
        "a%2Fb"
      ]
      for (const id of [...ids, "x".repeat(10_000)]) {
        for (const [method, path, body] of [
          ["GET", `/v1/pets/${id}`],
          ["GET", `/v1/store/pets/${id}`],
          ["PATCH", `/v1/pets/${id}`, {}],
          ["DELETE", `/v1/pets/${id}`],
          ["GET", `/v1/categories/${id}`],
          ["GET", `/v1/inventory/${id}`],
          ["GET", `/v1/inventory/${id}/movements`],
          ["PATCH", `/v1/store/orders/${id}`, {}],
          ["GET", `/v1/messages/${id}`],
          ["POST", `/v1/api-keys/${id}/rotate`, {}]
        ] as const) {
          const reply = yield* server.send(method, path, body === undefined ? {} : { body })
          assert.strictEqual(reply.status, 400, `${method} ${path}: ${reply.text}`)
          assert.match(pathsOf(reply).join(), /^\/path\/\w+Id$/)
        }
      }
    })
  )
})
