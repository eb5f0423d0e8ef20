import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openConnection } from "../../../test/support/RawConnection.ts"
import { startServer } from "../../../test/support/TestServer.ts"
import { transcript } from "../../../test/support/transcript.ts"
import { operations } from "../../api/operations.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]

/** The methods of each path of the contract. */
const allowed = new Map<string, Set<string>>()
for (const { method, path } of operations) {
  const at = allowed.get(path) ?? new Set()
  at.add(method)
  if (method === "GET") at.add("HEAD")
  allowed.set(path, at)
}
for (const probe of ["/health/live", "/health/ready"]) allowed.set(probe, new Set(["GET", "HEAD"]))
for (const names of allowed.values()) names.add("OPTIONS")

const concrete = (path: string) => (path.startsWith("/health") ? path : `/v1${path.replace(/:\w+/g, "1")}`)

const isEmpty = true

describe("the methods of a path", () => {
  it.effect("given another method at any path, then the response is 405 with those that are allowed", () =>
    Effect.gen(function* () {
      const { server } = yield* startServer()
      const connection = yield* openConnection(server.port)
      for (const [path, names] of allowed) {
        for (const method of methods.filter((name) => !names.has(name))) {
          yield* connection.write(`${method} ${concrete(path)} HTTP/1.1\r\nHost: x\r\n\r\n`)
          const reply = yield* connection.reply
          assert.strictEqual(reply.status, 405, `${method} ${path}`)
          assert.strictEqual(reply.headers.allow, [...names].sort().join(", "), path)
          assert.deepInclude(reply.body, { code: "method_not_allowed", status: 405 })
        }
      }
    })
  )

  it.effect(
    "given OPTIONS at any path or for the server, then the response is 204 with the methods that are allowed",
    () =>
      Effect.gen(function* () {
        const { server } = yield* startServer()
        const connection = yield* openConnection(server.port)
        const targets = [...allowed].map(([path, names]) => [concrete(path), [...names].sort().join(", ")] as const)
        for (const [target, allow] of [
          ...targets,
          ["/docs", "GET, HEAD, OPTIONS"],
          ["*", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"]
        ] as const) {
          yield* connection.write(`OPTIONS ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
          const reply = yield* connection.reply
          assert.deepStrictEqual([reply.status, reply.headers.allow, reply.text], [204, allow, ""], target)
        }
        yield* connection.write("OPTIONS /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        assert.strictEqual((yield* connection.reply).status, 404)
      })
  )

  const elsewhere = "// /v1/ /v1/pets/ /V1/pets /v1/Pets /v2/pets /pets /v1/pets/1/x /health /health/live/".split(" ")
  const nothingAt = (path: string) =>
    `{"code":"not_found","status":404,"message":"There is nothing at ${path}. The operations are under /v1, and /docs describes them."}`
  transcript(
    "given a path with another case or more slashes, then it is not found",
    elsewhere.map((path) => `GET ${path} -> 404 ${nothingAt(path)}`).join("\n"),
    { isEmpty }
  )

  transcript(
    "given a path without GET, then HEAD gets 405 without a body",
    "HEAD /v1/api-keys/1/rotate -> 405 [allow: OPTIONS, POST] nothing",
    { isEmpty }
  )
})

describe("CORS", () => {
  const shop = "[origin: https://shop.example]"
  const preflight = "[access-control-request-method: PATCH]"

  transcript(
    "given no option cors, then no response has its headers",
    `OPTIONS /v1/pets/1 ${shop} ${preflight} -> 204 [access-control-allow-origin: ]`,
    { isEmpty }
  )

  transcript(
    "given all origins, then they may read every response, errors too, and send every header",
    `OPTIONS /v1/pets/1 [key: ] ${shop} ${preflight} -> 204 [access-control-allow-origin: *] [access-control-allow-methods: DELETE, GET, HEAD, OPTIONS, PATCH] [access-control-allow-headers~Authorization, Content-Type, Idempotency-Key]
     GET /v1/pets [key: ] ${shop} -> 401 [access-control-allow-origin: *] [access-control-expose-headers~ETag]
     OPTIONS /v1/nothing ${shop} ${preflight} -> 404`,
    { isEmpty, cors: { origins: "*" } }
  )

  transcript(
    "given a list of origins, then only those may read responses",
    `GET /v1/pets ${shop} -> 200 [access-control-allow-origin: https://shop.example] [vary: Origin, Accept-Encoding]
     GET /v1/pets [origin: https://other.example] -> 200 [access-control-allow-origin: ] [vary: Origin, Accept-Encoding]`,
    { isEmpty, cors: { origins: ["https://shop.example"] } }
  )

  transcript(
    "given origins whose pages may send cookies, then only those are told so",
    `OPTIONS /v1/pets/1 ${shop} ${preflight} -> 204 [access-control-allow-credentials: true]
     OPTIONS /v1/pets/1 [origin: https://other.example] ${preflight} -> 204 [access-control-allow-credentials: ]`,
    { isEmpty, cors: { origins: ["https://shop.example"], credentials: true } }
  )
})

describe("the health checks", () => {
  transcript(
    "given no key, or HEAD, then they respond",
    `GET /health/live [key: ] -> 200 {"status":"live"}
     HEAD /health/live [key: ] -> 200
     GET /health/ready [key: ] -> 200 {"status":"ready"}
     HEAD /health/ready [key: ] -> 200`,
    { isEmpty }
  )
})
