import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { layer } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RequestHandler } from "../RequestHandler.ts"
import { Connections } from "./Connections.ts"
import { ProtocolErrors } from "./ProtocolErrors.ts"
import { headOf, isHostHeader, malformation } from "./requestHead.ts"

const protocolErrors = Effect.map(
  Layer.build(layer(memory())),
  (runtime) => new ProtocolErrors(new RequestHandler(runtime), new Connections(10), 0)
)

/** What a client reads after such an error on its connection. */
const responseTo = (code: string) =>
  Effect.map(protocolErrors, ({ onClientError }) => {
    const socket = new PassThrough()
    onClientError(Object.assign(new Error(code), { code }), socket)
    return String(socket.read() ?? "")
  })

describe("an error of the HTTP parser", () => {
  const statusLines = {
    HPE_INVALID_METHOD: "HTTP/1.1 400 Bad Request",
    HPE_CHUNK_EXTENSIONS_OVERFLOW: "HTTP/1.1 400 Bad Request",
    HPE_HEADER_OVERFLOW: "HTTP/1.1 431 Request Header Fields Too Large",
    ERR_HTTP_REQUEST_TIMEOUT: "HTTP/1.1 408 Request Timeout"
  }
  for (const [code, statusLine] of Object.entries(statusLines)) {
    it.effect(`given ${code}, then the response is ${statusLine}`, () =>
      Effect.gen(function* () {
        const [head = "", body = ""] = (yield* responseTo(code)).split("\r\n\r\n")
        const [first, ...headers] = head.split("\r\n")
        assert.strictEqual(first, statusLine)
        assert.includeMembers(headers, [
          "Content-Type: application/json",
          `Content-Length: ${Buffer.byteLength(body)}`,
          "Connection: close"
        ])
        assert.hasAllKeys(JSON.parse(body), ["code", "message", "status"])
      })
    )
  }

  it.effect("given a reset, or a client that has closed, then there is no response", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* responseTo("ECONNRESET"), "")
      const socket = new PassThrough()
      socket.end()
      ;(yield* protocolErrors).onClientError(Object.assign(new Error("late"), { code: "HPE_INVALID_METHOD" }), socket)
      assert.isNull(socket.read())
      assert.isTrue(socket.destroyed)
    })
  )
})

describe("a Host header", () => {
  for (const value of [
    "",
    "x",
    "shop.example",
    "shop.example:8080",
    "x:",
    "127.0.0.1:1",
    "[::1]",
    "[::1]:80",
    "a%20b"
  ]) {
    it(`given ${JSON.stringify(value)}, then it is accepted`, () => assert.isTrue(isHostHeader(value)))
  }

  for (const value of [
    "a b/../",
    "a/b",
    "a b",
    "user@shop.example",
    "x:80:90",
    "x:http",
    "[::1",
    "::1",
    "a?b",
    "a#b",
    "a%2",
    "a\\b",
    '"a"',
    "<a>",
    "é"
  ]) {
    it(`given ${JSON.stringify(value)}, then it is rejected`, () => assert.isFalse(isHostHeader(value)))
  }
})

describe("a request with two Host headers", () => {
  it("then what is wrong is that there are two", () => {
    const request = new IncomingMessage(new Socket())
    request.httpVersionMajor = 1
    request.httpVersionMinor = 1
    request.headers.host = "x, y"
    assert.strictEqual(malformation(headOf(request)), "A request has one Host header only.")
  })
})
