import { EventEmitter, once } from "node:events"
import { connect, createServer } from "node:http2"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import type { PetstoreHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { listening } from "../support/listening.ts"
import { adminKey, opened, sendingTo, worksAtPetstore } from "../support/mounts.ts"
import { openConnection } from "../support/RawConnection.ts"

expectLogs("createCategory failed with internal_error")

describe("a server of node:http that mounts a petstore at a path", () => {
  it.effect(
    "given that it does not strip the path, when clients use it, then all works, and the rest stays its own",
    () =>
      Effect.gen(function* () {
        const { handler } = yield* opened({ mountPath: "/petstore" })
        const send = sendingTo(
          yield* listening((request, response) => {
            if (request.url?.startsWith("/petstore/")) return handler.node(request, response)
            response.writeHead(404).end("not in this shop")
          })
        )
        yield* worksAtPetstore(send)
        assert.strictEqual((yield* send("GET", "/v1/pets")).text, "not in this shop")
        assert.strictEqual((yield* send("GET", "/petstores")).text, "not in this shop")
      })
  )

  it.effect("given that it strips the path, when clients use it, then all works", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened({ mountPath: "/petstore" })
      const url = yield* listening((request, response) => {
        request.url = request.url?.slice("/petstore".length) ?? ""
        handler.node(request, response)
      })
      yield* worksAtPetstore(sendingTo(url))
    })
  )

  it.effect("given a path that looks like one of the petstore's, when it is stripped or not, then both work", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened({ mountPath: "/v1" })
      const send = sendingTo(yield* listening(handler.node))
      for (const path of ["/v1/v1/categories", "/v1/categories"]) {
        assert.strictEqual((yield* send("GET", path)).status, 200, path)
      }
    })
  )

  it.effect("given headers that it has set, when the petstore responds, then they are sent too", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const url = yield* listening((request, response) => {
        response.setHeader("X-Frame-Options", "DENY")
        handler.node(request, response)
      })
      const { headers } = yield* sendingTo(url)("GET", "/v1/pets")
      assert.strictEqual(headers.get("x-frame-options"), "DENY")
      assert.isNotNull(headers.get("x-request-id"))
    })
  )

  it.effect(
    "given that it has read a part of a body, when the petstore gets the rest, then the response shows the fix",
    () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened()
        const url = yield* listening((request, response) => {
          request.once("readable", () => {
            request.read(1)
            handler.node(request, response)
          })
        })
        const reply = yield* sendingTo(url)("POST", "/v1/categories", { body: { name: "Cats" } })
        assert.strictEqual(reply.status, 500)
        assert.include(reply.text, "Mount handler.node before body parsers")
        assert.strictEqual((yield* Effect.promise(() => petstore.categories.list())).items.length, 0)
      })
  )
})

/** A frame of HTTP/2 (RFC 9113, section 4.1). */
const frame = (type: number, flags: number, stream: number, payload: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.from([0, payload.length >> 8, payload.length & 255, type, flags, 0, 0, 0, stream, ...payload])

/** A header field as it stands in a frame, not compressed (RFC 7541, section 6.2.2). */
const field = (name: string, value: string): ReadonlyArray<number> => [
  0,
  name.length,
  ...Buffer.from(name),
  value.length,
  ...Buffer.from(value)
]

/** A server of HTTP/2, and the responses to a client that sends bodies without a length. */
const overHttp2 = (handler: PetstoreHandler) =>
  Effect.gen(function* () {
    const server = createServer((request, response) => void Reflect.apply(handler.node, undefined, [request, response]))
    yield* Effect.acquireRelease(
      Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
      () => Effect.sync(() => server.close())
    )
    const { port } = server.address() as AddressInfo
    const session = yield* Effect.acquireRelease(
      Effect.sync(() => connect(`http://127.0.0.1:${port}`)),
      (opened) => Effect.sync(() => opened.close())
    )
    const send = (method: string, path: string, body?: unknown) =>
      Effect.promise(async () => {
        const stream = session.request({
          ":method": method,
          ":path": path,
          authorization: `Bearer ${adminKey}`,
          "content-type": "application/json"
        })
        stream.end(body === undefined ? undefined : JSON.stringify(body))
        const [headers] = await once(stream, "response")
        const received = await text(stream)
        return { status: headers[":status"], body: received === "" ? undefined : JSON.parse(received) }
      })
    return { port, send }
  })

describe("a server of node:http2 that mounts a petstore", () => {
  it.effect("given bodies without a length, when clients use it, then all works, also when it closes", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const { send } = yield* overHttp2(handler)
      const made = yield* send("POST", "/v1/categories", { name: "Cats" })
      assert.deepStrictEqual(made, { status: 201, body: { id: 1, name: "Cats" } })
      assert.strictEqual((yield* send("POST", "/v1/categories")).body.code, "malformed_json")
      assert.deepStrictEqual((yield* send("GET", "/v1/categories")).body, [{ id: 1, name: "Cats" }])

      const warnings: Array<string> = []
      const hear = ({ message }: Error) => void warnings.push(message)
      process.on("warning", hear)
      yield* Effect.promise(() => handler.close())
      assert.strictEqual((yield* send("GET", "/v1/categories")).status, 503)
      process.off("warning", hear)
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.effect("given responses without a body, then an app that listens to errors of their streams hears none", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const heard: Array<string> = []
      const { send } = yield* overHttp2({
        ...handler,
        node: (request, response) => {
          if ("stream" in response && response.stream instanceof EventEmitter)
            response.stream.on("error", ({ message }) => heard.push(`${request.method} ${request.url}: ${message}`))
          handler.node(request, response)
        }
      })
      const responses = [
        ["HEAD", "/v1/categories", 200],
        ["HEAD", "/v1/categories/9", 404],
        ["HEAD", "/", 200],
        ["HEAD", "/v1/events/stream", 200],
        ["OPTIONS", "/v1/categories", 204]
      ] as const
      for (const [method, path, status] of responses)
        assert.deepStrictEqual(yield* send(method, path), { status, body: undefined }, `${method} ${path}`)
      assert.deepStrictEqual(heard, [])
    })
  )

  it.effect("given requests that the client cancels before their end, then they have changed nothing", () =>
    Effect.gen(function* () {
      const { handler, petstore } = yield* opened()
      const { port, send } = yield* overHttp2(handler)
      yield* send("POST", "/v1/categories", { name: "Cats" })
      const body = JSON.stringify({ name: "Dogs" })
      const requests = [
        ["DELETE", "/v1/categories/1", "", []],
        ["DELETE", "/v1/categories/1", "", field("content-length", "0")],
        ["DELETE", "/v1/categories/1", "ab", []],
        ["PATCH", "/v1/categories/1", body, []],
        ["POST", "/v1/categories", body, []]
      ] as const
      for (const [method, path, part, length] of requests) {
        for (const canceling of [frame(3, 0, 1, [0, 0, 0, 8]), frame(3, 0, 1, [0, 0, 0, 0]), undefined]) {
          const connection = yield* openConnection(port)
          yield* connection.write(
            Buffer.concat([
              Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
              frame(4, 0, 0, []),
              frame(1, 4, 1, [
                ...field(":method", method),
                ...field(":path", path),
                ...field(":scheme", "http"),
                ...field(":authority", "x"),
                ...field("authorization", `Bearer ${adminKey}`),
                ...field("content-type", "application/json"),
                ...length
              ]),
              ...(part === "" ? [] : [frame(0, 0, 1, [...Buffer.from(part)])])
            ])
          )
          // Once the server has responded to this, it has read what came before.
          yield* send("GET", "/v1/categories")
          yield* canceling === undefined ? connection.destroy : connection.write(canceling)
          yield* send("GET", "/v1/categories")
        }
      }
      const { items } = yield* Effect.promise(() => petstore.categories.list())
      assert.deepStrictEqual(items, [{ id: 1, name: "Cats" }])
      assert.strictEqual((yield* send("DELETE", "/v1/categories/1")).status, 204)
    })
  )
})
