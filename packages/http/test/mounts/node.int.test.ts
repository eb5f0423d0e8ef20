import { once } from "node:events"
import { connect, createServer } from "node:http2"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import type { PetstoreHandler } from "@petstore/http"
import { Effect } from "effect"
import { adminKey, listening, opened, sendingTo, worksAtPetstore } from "../support/mounts.ts"

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

  it.effect("given headers that it has set, when the petstore answers, then they are sent too", () =>
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
    "given that it has read a part of a body, when the petstore gets the rest, then the answer names the fix",
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
        assert.include(reply.text, "Mount handler.node before what reads bodies")
        assert.strictEqual((yield* Effect.promise(() => petstore.categories.list())).items.length, 0)
      })
  )
})

/** A server of HTTP/2, and what a client is answered there that does not say how long a body is. */
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
    return (method: string, path: string, body?: unknown) =>
      Effect.promise(async () => {
        const stream = session.request({
          ":method": method,
          ":path": path,
          authorization: `Bearer ${adminKey}`,
          "content-type": "application/json"
        })
        stream.end(body === undefined ? undefined : JSON.stringify(body))
        const [headers] = await once(stream, "response")
        return { status: headers[":status"], body: JSON.parse(await text(stream)) }
      })
  })

describe("a server of node:http2 that mounts a petstore", () => {
  it.effect("given bodies whose length nobody says, when clients use it, then all works, also when it ends", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const send = yield* overHttp2(handler)
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
})
