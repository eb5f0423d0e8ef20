import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openConnection, type RawReply } from "../../../test/support/RawConnection.ts"
import { startServer } from "../../../test/support/TestServer.ts"

const started = Effect.gen(function* () {
  const { adminKey, server } = yield* startServer()
  const connection = yield* openConnection(server.port)
  return { adminKey, connection, port: server.port }
})

const isError = (reply: RawReply, code: string, status: number) => {
  assert.deepInclude(reply.body, { code, status }, reply.text)
  assert.strictEqual(reply.status, status)
  assert.strictEqual(reply.headers["content-type"], "application/json")
  assert.match(reply.headers["x-request-id"] ?? "", /^[0-9a-f]{12}-/)
  assert.sameMembers(
    Object.keys(reply.body as object).filter((name) => !["violations", "details"].includes(name)),
    ["code", "message", "status"]
  )
}

/** What is no HTTP request at all. The connection cannot go on after it. */
const garbage: Readonly<Record<string, string>> = {
  "a line of noise": "\u0016\u0003\u0001 hello\r\n\r\n",
  "an HTTP version that there is not": "GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n",
  "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "a blank in the target": "GET /v1/pe ts HTTP/1.1\r\nHost: x\r\n\r\n",
  "a header without a colon": "GET /v1/pets HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
  "a header with a control character": "GET /v1/pets HTTP/1.1\r\nHost: x\r\nA: b\u0001c\r\n\r\n",
  "a length that is no number": "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
  "two lengths that differ": "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
  "a length beside chunks":
    "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
}

/** Headers that stand once, each with a second value beside the right one, which is undefined here. */
const repeated: ReadonlyArray<readonly [string, ReadonlyArray<string | undefined>, string, number]> = [
  ["Host", [undefined, "y"], "malformed_request", 400],
  ["Authorization", [undefined, "Bearer wrong"], "unauthenticated", 401],
  ["Content-Type", [undefined, "text/plain"], "unsupported_content_type", 400]
]

const dogs = '{"name":"Dogs"}'

const createCategory = (key: string, host = "x"): string =>
  `POST /v1/categories HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${dogs.length}\r\n\r\n${dogs}`

/** The headers of a request without a key, whose body waits for `100 Continue`. */
const expecting = (length: number): string =>
  `POST /v1/categories HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`

const categoriesAt = (port: number, key: string) =>
  Effect.gen(function* () {
    const connection = yield* openConnection(port)
    yield* connection.write(`GET /v1/categories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    return (yield* connection.reply).body
  })

describe("a connection", () => {
  it.effect("given what is no request, then it gets an error response, and is closed", () =>
    Effect.gen(function* () {
      const { port } = yield* started
      for (const [name, text] of Object.entries(garbage)) {
        const connection = yield* openConnection(port)
        yield* connection.write(text)
        const reply = yield* connection.reply
        isError(reply, "malformed_request", 400)
        assert.strictEqual(reply.headers.connection, "close", name)
        assert.strictEqual(yield* connection.close, "", name)
      }
    })
  )

  it.effect("given a method that there is not, then the response is 501, and nothing behind it has an effect", () =>
    Effect.gen(function* () {
      const { adminKey, port } = yield* started
      for (const method of ["get", "FOO", "GETS", "M-x"]) {
        const connection = yield* openConnection(port)
        yield* connection.write(`${method} /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n${createCategory(adminKey)}`)
        isError(yield* connection.reply, "method_not_implemented", 501)
        assert.strictEqual(yield* connection.close, "", method)
      }
      assert.deepStrictEqual(yield* categoriesAt(port, adminKey), [])
    })
  )

  it.effect("given a header twice, then it gets an error response, whichever of the two is valid", () =>
    Effect.gen(function* () {
      const { adminKey, port } = yield* started
      const right: Readonly<Record<string, string>> = {
        Host: "x",
        Authorization: `Bearer ${adminKey}`,
        "Content-Type": "application/json"
      }
      for (const [header, values, code, status] of repeated) {
        for (const sent of [values, values.toReversed()]) {
          const { [header]: own = "", ...others } = right
          const lines = [...Object.entries(others), ...sent.map((value) => [header, value ?? own] as const)]
          const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
          const connection = yield* openConnection(port)
          yield* connection.write(`POST /v1/categories HTTP/1.1\r\n${head}Content-Length: 16\r\n\r\n{"name":"Twice"}`)
          isError(yield* connection.reply, code, status)
        }
      }
    })
  )

  it.effect("given no Host header, then HTTP/1.1 is rejected and HTTP/1.0 is accepted", () =>
    Effect.gen(function* () {
      const { connection, port } = yield* started
      yield* connection.write("GET /health/live HTTP/1.1\r\n\r\n")
      isError(yield* connection.reply, "malformed_request", 400)
      const old = yield* openConnection(port)
      yield* old.write("GET /health/live HTTP/1.0\r\n\r\n")
      assert.strictEqual((yield* old.reply).status, 200)
      yield* old.close
    })
  )

  it.effect("given a request behind one that was rejected as malformed, then it has no effect", () =>
    Effect.gen(function* () {
      const { adminKey, connection, port } = yield* started
      yield* connection.write(createCategory(adminKey, "x/y") + createCategory(adminKey))
      isError(yield* connection.reply, "malformed_request", 400)
      assert.strictEqual(yield* connection.close, "")
      assert.deepStrictEqual(yield* categoriesAt(port, adminKey), [])
    })
  )

  it.effect("given a request behind a malformed one that waits behind many others, then it has no effect", () =>
    Effect.gen(function* () {
      const { adminKey, connection, port } = yield* started
      const others = 400
      const get = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`
      yield* connection.write(get.repeat(others) + createCategory(adminKey, "x/y") + createCategory(adminKey))
      for (let n = 0; n < others; n++) assert.strictEqual((yield* connection.reply).status, 200)
      const reply = yield* connection.reply
      isError(reply, "malformed_request", 400)
      assert.strictEqual(reply.headers.connection, "close")
      assert.strictEqual(yield* connection.close, "")
      assert.deepStrictEqual(yield* categoriesAt(port, adminKey), [])
    })
  )

  it.effect("given a client that waits for 100 Continue and is rejected without it, then the connection closes", () =>
    Effect.gen(function* () {
      const { connection } = yield* started
      yield* connection.write(expecting(dogs.length))
      const reply = yield* connection.reply
      isError(reply, "unauthenticated", 401)
      assert.strictEqual(reply.headers.connection, "close")
    })
  )

  for (const body of ["", dogs]) {
    it.effect(
      `given a request behind one with ${body.length} bytes that got no 100 Continue, then it has no effect`,
      () =>
        Effect.gen(function* () {
          const { adminKey, connection, port } = yield* started
          // All of them are parsed before the first is handled.
          const waiting = 6
          const get = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`
          yield* connection.write(get)
          yield* connection.reply
          yield* connection.write(get.repeat(waiting) + expecting(body.length) + body + createCategory(adminKey))
          for (let n = 0; n < waiting; n++) assert.strictEqual((yield* connection.reply).status, 200)
          isError(yield* connection.reply, "unauthenticated", 401)
          assert.strictEqual(yield* connection.close, "")
          assert.deepStrictEqual(yield* categoriesAt(port, adminKey), [])
        })
    )
  }

  it.effect("given long headers, then they are accepted up to the limit", () =>
    Effect.gen(function* () {
      const { adminKey, connection, port } = yield* started
      const get = (length: number) =>
        `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\nX-Long: ${"x".repeat(length)}\r\n\r\n`
      yield* connection.write(get(10_000))
      assert.strictEqual((yield* connection.reply).status, 200)
      yield* connection.write(get(20_000))
      isError(yield* connection.reply, "headers_too_large", 431)
      yield* connection.close
      const other = yield* openConnection(port)
      yield* other.write(`GET /v1/pets?name=${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
      isError(yield* other.reply, "headers_too_large", 431)
    })
  )

  it.effect("given CONNECT, then it is rejected", () =>
    Effect.gen(function* () {
      const { connection } = yield* started
      yield* connection.write("CONNECT db.internal:5432 HTTP/1.1\r\nHost: db.internal:5432\r\n\r\n")
      isError(yield* connection.reply, "malformed_request", 400)
      yield* connection.close
    })
  )

  it.effect("given CONNECT behind other requests, then it is rejected behind their responses", () =>
    Effect.gen(function* () {
      const { adminKey, connection } = yield* started
      const probe = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
      yield* connection.write(`${probe}${createCategory(adminKey)}CONNECT db.internal:5432 HTTP/1.1\r\nHost: x\r\n\r\n`)
      assert.strictEqual((yield* connection.reply).status, 200)
      assert.strictEqual((yield* connection.reply).status, 201)
      isError(yield* connection.reply, "malformed_request", 400)
      yield* connection.close
    })
  )

  it.effect("given an offer of another protocol, then it stays with HTTP/1.1", () =>
    Effect.gen(function* () {
      const { connection } = yield* started
      yield* connection.write(
        "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n"
      )
      assert.strictEqual((yield* connection.reply).status, 200)
    })
  )

  it.effect("given a whole URL as the target, then its path is used, and * is only for OPTIONS", () =>
    Effect.gen(function* () {
      const { adminKey, connection } = yield* started
      const ask = (method: string, target: string) =>
        Effect.andThen(
          connection.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`),
          connection.reply
        )
      assert.strictEqual((yield* ask("GET", "http://shop.example/v1/pets?limit=5")).status, 200)
      assert.strictEqual((yield* ask("GET", "https://shop.example:8443/health/live")).status, 200)
      assert.strictEqual((yield* ask("GET", "http://shop.example")).status, 200)
      assert.deepInclude((yield* ask("GET", "http://shop.example?x=/v1/pets")).body, { api: "/v1" })
      assert.strictEqual((yield* ask("OPTIONS", "*")).status, 204)
      isError(yield* ask("GET", "*"), "not_found", 404)
      isError(yield* ask("GET", "/v1/pets#top"), "not_found", 404)
      isError(yield* ask("GET", "/v1/pets/%"), "validation_failed", 400)
      isError(yield* ask("GET", "/v1/%zz"), "not_found", 404)
      isError(yield* ask("GET", "/v1/pets?name=%"), "validation_failed", 400)
      isError(yield* ask("GET", "//v1/pets"), "not_found", 404)
    })
  )

  it.effect("given pipelined requests, then the responses come in their order", () =>
    Effect.gen(function* () {
      const { adminKey, connection } = yield* started
      const body = JSON.stringify({ name: "Cats" })
      const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n`
      yield* connection.write(
        `POST /v1/categories ${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
          `GET /v1/pets ${head}\r\nGET /v1/categories/9 ${head}\r\n`
      )
      const statuses = [
        (yield* connection.reply).status,
        (yield* connection.reply).status,
        (yield* connection.reply).status
      ]
      assert.deepStrictEqual(statuses, [201, 200, 404])
    })
  )

  it.live(
    "given a body that has come in part behind a pending request, when the client resets, then the process goes on",
    () =>
      Effect.gen(function* () {
        const { adminKey, port } = yield* started
        const thrown: Array<unknown> = []
        const onThrown = (error: unknown) => thrown.push(error)
        yield* Effect.acquireRelease(
          Effect.sync(() => process.on("uncaughtExceptionMonitor", onThrown)),
          () => Effect.sync(() => process.off("uncaughtExceptionMonitor", onThrown))
        )
        const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n`
        const pending = `GET /v1/events/stream ${head}Accept: text/event-stream\r\n\r\n`
        const bodyOf = "Content-Length: 16\r\n\r\n{"
        for (const request of [
          `POST /v1/categories ${head}Content-Type: application/json\r\n${bodyOf}`,
          `GET /v1/pets ${head}${bodyOf}`,
          `GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n${bodyOf}`
        ]) {
          const connection = yield* openConnection(port)
          yield* connection.write(pending + request)
          yield* Effect.sleep(100)
          yield* connection.reset
          yield* Effect.sleep(100)
        }
        assert.deepStrictEqual(thrown, [])
        const connection = yield* openConnection(port)
        yield* connection.write(`GET /v1/pets ${head}\r\n`)
        assert.strictEqual((yield* connection.reply).status, 200)
      })
  )

  it.effect("given a request before malformed bytes, then the request still gets its response", () =>
    Effect.gen(function* () {
      const { adminKey, connection } = yield* started
      const body = JSON.stringify({ name: "Cats" })
      yield* connection.write(
        `POST /v1/categories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}\u0001garbage\r\n\r\n`
      )
      assert.strictEqual((yield* connection.reply).status, 201)
      yield* connection.close
    })
  )
})
