import { assert, describe, it } from "@effect/vitest"
import { type OpenApi, openApiDocument } from "@petstore/http/openapi"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { parse } from "yaml"
import { openConnection } from "../../../test/support/RawConnection.ts"
import { type Sending, startServer } from "../../../test/support/TestServer.ts"
import { openApi31 } from "../../openapi/openApi31.ts"

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const anonymous: Sending = { key: undefined }

const same = (document: OpenApi): OpenApi => document
const json = (text: string): unknown => JSON.parse(text)
const yaml = (text: string): unknown => parse(text)

const formats = [
  ["/openapi.json", "application/json", json, same],
  ["/openapi.yaml", "application/yaml", yaml, same],
  ["/openapi-3.1.json", "application/json", json, openApi31],
  ["/openapi-3.1.yaml", "application/yaml", yaml, openApi31]
] as const

describe("the document that a server publishes", () => {
  it.effect(
    "given base and mount paths, when it is requested without a key, then it has the paths of the operations",
    () =>
      Effect.gen(function* () {
        for (const options of [{}, { basePath: "/shop/v2" }, { basePath: "", mountPath: "/petstore" }]) {
          const { send } = yield* startServer(options)
          for (const [path, type, read, written] of formats) {
            const reply = yield* send("GET", path, anonymous)
            assert.strictEqual(reply.status, 200)
            assert.strictEqual(reply.headers.get("content-type"), type)
            assert.deepStrictEqual(read(reply.text), plain(written(openApiDocument(options))))
          }
        }
      })
  )

  it.effect("given its first request, then others do not wait until it is made", () =>
    Effect.gen(function* () {
      const { server } = yield* startServer()
      const page = yield* openConnection(server.port)
      const other = yield* openConnection(server.port)
      const ends: Array<string> = []
      const asked = yield* Effect.forkChild(
        Effect.andThen(
          page.reply,
          Effect.sync(() => ends.push("document"))
        )
      )
      yield* page.write("GET /openapi-3.1.json HTTP/1.1\r\nHost: x\r\n\r\n")
      for (let i = 0; i < 10; i++) {
        yield* other.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        yield* other.reply
        ends.push("other")
      }
      yield* Fiber.join(asked)
      assert.deepStrictEqual(ends, [...Array.from({ length: 10 }, () => "other"), "document"])
    })
  )

  it.effect(
    "given another method or its entity tag, then HEAD has no body, others are rejected, and it is not sent again",
    () =>
      Effect.gen(function* () {
        const { send } = yield* startServer()
        for (const [path] of formats) {
          const get = yield* send("GET", path, anonymous)
          const tag = get.headers.get("etag") ?? ""
          const again = (sent: string) => send("GET", path, { key: undefined, headers: { "if-none-match": sent } })
          const same = yield* again(`"other", W/${tag}`)
          assert.deepStrictEqual([same.status, same.text, same.headers.get("etag")], [304, "", tag])
          for (const other of ['"other"', "no tag"]) assert.strictEqual((yield* again(other)).text, get.text)
          const head = yield* send("HEAD", path, anonymous)
          assert.deepStrictEqual([head.status, head.text], [200, ""])
          for (const name of ["content-type", "content-length", "etag", "cache-control"]) {
            assert.strictEqual(head.headers.get(name), get.headers.get(name), name)
          }
          const refused = yield* send("POST", path, anonymous)
          assert.deepStrictEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
        }
      })
  )
})
