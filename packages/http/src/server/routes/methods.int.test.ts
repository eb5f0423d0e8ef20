import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openConnection } from "../../../test/support/RawConnection.ts"
import { startServer } from "../../../test/support/TestServer.ts"
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

  it.effect("given a path with another case or more slashes, then it is not found", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer()
      for (const path of [
        "//",
        "/v1/",
        "/v1/pets/",
        "/V1/pets",
        "/v1/Pets",
        "/v2/pets",
        "/pets",
        "/v1/pets/1/x",
        "/health",
        "/health/live/"
      ]) {
        const reply = yield* send("GET", path)
        const message = `There is nothing at ${path}. The operations are under /v1, and /docs describes them.`
        assert.deepStrictEqual(reply.body, { code: "not_found", message, status: 404 }, path)
      }
    })
  )
})

describe("HEAD", () => {
  it.effect("given a path without GET, then HEAD gets 405 without a body", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer()
      const reply = yield* send("HEAD", "/v1/api-keys/1/rotate")
      assert.strictEqual(reply.status, 405)
      assert.strictEqual(reply.headers.get("allow"), "OPTIONS, POST")
      assert.strictEqual(reply.text, "")
    })
  )
})

describe("CORS", () => {
  const preflight = { origin: "https://shop.example", "access-control-request-method": "PATCH" }

  it.effect("given no option cors, then no response has its headers", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer()
      const reply = yield* send("OPTIONS", "/v1/pets/1", { headers: preflight })
      assert.strictEqual(reply.status, 204)
      assert.isFalse(reply.headers.has("access-control-allow-origin"))
    })
  )

  it.effect("given all origins, then they may read every response, errors too, and send every header", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer({ cors: { origins: "*" } })
      const asked = yield* send("OPTIONS", "/v1/pets/1", { key: undefined, headers: preflight })
      assert.strictEqual(asked.status, 204)
      assert.strictEqual(asked.headers.get("access-control-allow-origin"), "*")
      assert.strictEqual(asked.headers.get("access-control-allow-methods"), "DELETE, GET, HEAD, OPTIONS, PATCH")
      assert.match(
        asked.headers.get("access-control-allow-headers") ?? "",
        /Authorization, Content-Type, Idempotency-Key/
      )
      const refused = yield* send("GET", "/v1/pets", { key: undefined, headers: { origin: "https://shop.example" } })
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(refused.headers.get("access-control-allow-origin"), "*")
      assert.match(refused.headers.get("access-control-expose-headers") ?? "", /ETag/)
      assert.strictEqual((yield* send("OPTIONS", "/v1/nothing", { headers: preflight })).status, 404)
    })
  )

  it.effect("given a list of origins, then only those may read responses", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer({ cors: { origins: ["https://shop.example"] } })
      const from = (origin: string) => send("GET", "/v1/pets", { headers: { origin } })
      const shop = yield* from("https://shop.example")
      assert.strictEqual(shop.headers.get("access-control-allow-origin"), "https://shop.example")
      assert.strictEqual(shop.headers.get("vary"), "Origin, Accept-Encoding")
      const other = yield* from("https://other.example")
      assert.isFalse(other.headers.has("access-control-allow-origin"))
      assert.strictEqual(other.headers.get("vary"), "Origin, Accept-Encoding")
    })
  )

  it.effect("given origins whose pages may send cookies, then only those are told so", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer({ cors: { origins: ["https://shop.example"], credentials: true } })
      const allowed = (origin: string) =>
        Effect.map(send("OPTIONS", "/v1/pets/1", { headers: { ...preflight, origin } }), ({ headers }) =>
          headers.get("access-control-allow-credentials")
        )
      assert.strictEqual(yield* allowed("https://shop.example"), "true")
      assert.isNull(yield* allowed("https://other.example"))
    })
  )
})

describe("the health checks", () => {
  it.effect("given no key, or HEAD, then they respond", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer()
      for (const [path, status] of [
        ["/health/live", "live"],
        ["/health/ready", "ready"]
      ] as const) {
        const reply = yield* send("GET", path, { key: undefined })
        assert.strictEqual(reply.status, 200)
        assert.deepStrictEqual(reply.body, { status })
        assert.strictEqual((yield* send("HEAD", path, { key: undefined })).status, 200)
      }
    })
  )
})
