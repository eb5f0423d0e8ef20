import { assert, describe, it } from "@effect/vitest"
import { layer } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { framings, statuses } from "../../../test/support/framings.ts"
import { gatedStorage } from "../../../test/support/GatedStorage.ts"
import { openConnection } from "../../../test/support/RawConnection.ts"
import { populate } from "../../../test/support/sampleStore.ts"
import { startServer, type TestServer } from "../../../test/support/TestServer.ts"

const populated = Effect.tap(startServer(), populate)

const json = "Content-Type: application/json\r\n"

/** Requests, and the paths that show whether they changed anything. */
const targets = [
  { line: "DELETE /v1/pets/1", extra: "", state: "/v1/store/pets/1" },
  { line: "DELETE /v1/store/orders/1", extra: "", state: "/v1/store/orders/1" },
  { line: "GET /v1/pets", extra: "", state: "/v1/pets" },
  { line: "HEAD /v1/pets/1", extra: "", state: "/v1/pets/1" },
  { line: "GET /openapi.json", extra: "", state: "/v1/pets" },
  { line: "GET /health/live", extra: "", state: "/v1/pets" },
  { line: "PATCH /v1/pets/1", extra: json, state: "/v1/store/pets/1" },
  { line: "POST /v1/categories", extra: json, state: "/v1/categories" }
]

const seen = ({ send }: TestServer, path: string) =>
  Effect.map(send("GET", path), ({ headers, status, text }) => ({ status, tag: headers.get("etag"), text }))

describe("a request that is malformed after its headers", () => {
  it.effect(
    "given any operation, then there is one response, 400, the connection closes, and nothing has changed",
    () =>
      Effect.gen(function* () {
        const server = yield* populated
        for (const { extra, line, state } of targets) {
          const before = yield* seen(server, state)
          assert.strictEqual(before.status, 200, state)
          const cases = Object.entries(framings)
            // These two have a body of their own, for which the checks of bodies hold.
            .filter(([fault]) => extra === "" || (fault !== "a body over the limit" && fault !== "chunks inside gzip"))
            .flatMap(([fault, framing]) => [true, false].map((together) => ({ fault, ...framing, together })))
          // At once, since each connection stays open for a second after its response.
          yield* Effect.forEach(
            cases,
            ({ ends = false, fault, headers, rest, together }) =>
              Effect.gen(function* () {
                const connection = yield* openConnection(server.server.port)
                const head = `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\n${extra}${headers}\r\n`
                yield* connection.write(together ? head + rest : head)
                if (!together && rest !== "") {
                  yield* server.send("GET", "/health/live")
                  yield* connection.write(rest)
                }
                if (ends) yield* connection.end
                assert.deepStrictEqual(statuses(yield* connection.close), [400], `${line}: ${fault}, ${together}`)
              }),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(yield* seen(server, state), before, line)
        }
      })
  )

  it.effect("given malformed headers, then there is one response, 400, and what follows has no effect", () =>
    Effect.gen(function* () {
      const server = yield* populated
      const next = `DELETE /v1/pets/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\n\r\n`
      for (const head of [
        "HTTP/1.1\r\nHost: a b/../",
        "HTTP/1.1\r\nHost: x\r\nHost: y",
        "HTTP/1.1",
        "HTTP/1.1\r\nHost: x\r\nExpect: more",
        "HTTP/2.0\r\nHost: x",
        "HTTP/0.9\r\nHost: x"
      ]) {
        const connection = yield* openConnection(server.server.port)
        yield* connection.write(`GET /v1/pets ${head}\r\n\r\n${next}`)
        assert.deepStrictEqual(statuses(yield* connection.close), [400], head)
      }
      assert.strictEqual((yield* server.send("GET", "/v1/store/pets/1")).status, 200)
    })
  )

  it.effect(
    "given another transfer coding than chunked, then there is one response, 400, and what follows has no effect",
    () =>
      Effect.gen(function* () {
        const server = yield* populated
        const next = `DELETE /v1/pets/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\n\r\n`
        for (const { extra, line } of targets) {
          for (const [version, coding] of [
            ["1.1", "gzip, chunked"],
            ["1.1", "chunked, chunked"],
            ["1.1", "chunked\r\nTransfer-Encoding: chunked"],
            ["1.0", "chunked\r\nConnection: keep-alive"]
          ]) {
            const connection = yield* openConnection(server.server.port)
            const head = `${line} HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\n${extra}`
            yield* connection.write(`${head}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n${next}`)
            assert.deepStrictEqual(statuses(yield* connection.close), [400], `${line}: ${coding}`)
          }
        }
        assert.strictEqual((yield* server.send("GET", "/v1/store/pets/1")).status, 200)
      })
  )

  it.effect("given an unused body over the limit, then the request behind it has no effect", () =>
    Effect.gen(function* () {
      const server = yield* populated
      const next = `DELETE /v1/pets/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\n\r\n`
      const connection = yield* openConnection(server.server.port)
      const length = 262_145
      const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\nContent-Length: ${length}\r\n\r\n`
      yield* connection.write(`GET /v1/pets ${head}${"x".repeat(length)}${next}`)
      const received = yield* connection.close
      assert.deepStrictEqual(statuses(received), [400])
      assert.include(received, "Connection: close")
      assert.strictEqual((yield* server.send("GET", "/v1/store/pets/1")).status, 200)
    })
  )

  it.effect("given that it has been rejected already, then there is no second response", () =>
    Effect.gen(function* () {
      const server = yield* populated
      const refused = [
        ["DELETE /v1/pets/3", "", 401],
        ["DELETE /v1/nothing", server.adminKey, 404],
        ["PUT /v1/pets/3", server.adminKey, 405],
        ["POST /v1/categories", server.adminKey, 400]
      ] as const
      for (const [line, key, status] of refused) {
        for (const rest of ["zz\r\n", "1\r\na\r\n"]) {
          const connection = yield* openConnection(server.server.port)
          yield* connection.write(
            `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`
          )
          assert.strictEqual((yield* connection.reply).status, status)
          yield* connection.write(rest)
          yield* connection.end
          assert.strictEqual(yield* connection.close, "")
        }
      }
    })
  )

  it.effect("given a complete body that is not used, then the request succeeds, and the connection stays open", () =>
    Effect.gen(function* () {
      const server = yield* populated
      const connection = yield* openConnection(server.server.port)
      const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\n`
      for (const [id, body] of [
        [3, "Content-Length: 2\r\n\r\n{}"],
        [2, "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n"]
      ] as const) {
        yield* connection.write(`GET /v1/pets/${id} ${head}${body}`)
        assert.strictEqual((yield* connection.reply).status, 200)
        yield* connection.write(`GET /health/live ${head}${body}`)
        assert.strictEqual((yield* connection.reply).status, 200)
      }
      yield* connection.write(`DELETE /v1/pets/1 ${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`)
      assert.strictEqual((yield* connection.reply).status, 100)
      yield* connection.write("{}")
      assert.strictEqual((yield* connection.reply).status, 204)
      yield* connection.write(`DELETE /v1/pets/1 ${head}Content-Length: 1\r\n\r\n`)
      yield* server.send("GET", "/health/live")
      yield* connection.write("x")
      assert.strictEqual((yield* connection.reply).status, 404)
    })
  )

  for (const [fault, rest] of [
    ["in its body", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
    ["in its headers", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"]
  ] as const) {
    it.effect(
      `given a fault ${fault} behind requests that are still running, then these get their responses first`,
      () =>
        Effect.gen(function* () {
          const { adapter, committing } = gatedStorage()
          const server = yield* startServer({}, yield* Layer.build(layer(adapter)))
          const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\n`
          const create = (name: string) => {
            const body = JSON.stringify({ name })
            return `POST /v1/categories ${head}${json}Content-Length: ${body.length}\r\n\r\n${body}`
          }
          yield* committing.close
          const connection = yield* openConnection(server.server.port)
          yield* connection.write(
            `${create("Cats")}GET /health/live ${head}\r\nDELETE /v1/categories/1 ${head}${rest}${create("Dogs")}`
          )
          yield* committing.holds(1)
          yield* server.send("GET", "/health/live")
          yield* committing.open
          const received = yield* connection.close
          assert.deepStrictEqual(statuses(received), fault === "in its body" ? [201, 200, 400] : [201, 200], received)
          const left = (yield* server.send("GET", "/v1/categories")).body
          assert.deepStrictEqual(left, [{ id: 1, name: "Cats" }])
        })
    )
  }
})
