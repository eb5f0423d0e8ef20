import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { UseCaseRunner, useCases } from "@petstore/core/runtime"
import { createHandler } from "@petstore/http"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { startServer, type TestServer } from "../../../test/support/TestServer.ts"

interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly bytes: Buffer
}

/** Sends a request without decompressing what comes back. */
const sendRaw = (
  { adminKey, server }: TestServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET"
): Effect.Effect<RawReply> =>
  Effect.callback((resume) => {
    const sent = request(
      server.url + path,
      { method, headers: { authorization: `Bearer ${adminKey}`, ...headers } },
      (response) => {
        const chunks: Array<Buffer> = []
        response
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () =>
            resume(
              Effect.succeed({
                status: response.statusCode ?? 0,
                headers: response.headers,
                bytes: Buffer.concat(chunks)
              })
            )
          )
      }
    )
    sent.end()
  })

const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const

/** Pets whose list is long enough to be compressed. */
const manyPets = ({ runtime }: TestServer) =>
  Effect.gen(function* () {
    const { value: category } = yield* Context.get(runtime, UseCaseRunner).call(useCases.categories.create, {
      name: "Cats"
    })
    for (let number = 1; number <= 60; number++) {
      yield* Context.get(runtime, UseCaseRunner).call(useCases.pets.create, {
        name: `Tom ${number} ü`,
        categoryId: category.id
      })
    }
  }).pipe(Effect.orDie)

const list = "/v1/pets?limit=100"

describe("a list", () => {
  it.effect(
    "given a long list, then it is compressed as its client accepts, HEAD says the same, and Vary says so",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        yield* manyPets(server)
        const plain = yield* sendRaw(server, list)
        for (const coding of ["br", "gzip"] as const) {
          const reply = yield* sendRaw(server, list, { "accept-encoding": coding })
          assert.strictEqual(reply.status, 200)
          assert.strictEqual(reply.headers["content-encoding"], coding)
          assert.strictEqual(reply.headers.vary, "Accept-Encoding")
          assert.strictEqual(reply.headers["content-length"], String(reply.bytes.length))
          assert.strictEqual(reply.headers["content-type"], "application/json")
          assert.isBelow(reply.bytes.length, plain.bytes.length / 2)
          assert.strictEqual(decoders[coding](reply.bytes).toString(), plain.bytes.toString())
          const head = yield* sendRaw(server, list, { "accept-encoding": coding }, "HEAD")
          assert.strictEqual(head.bytes.length, 0)
          for (const name of ["content-encoding", "content-length", "content-type", "vary"]) {
            assert.strictEqual(head.headers[name], reply.headers[name], name)
          }
        }
        for (const accepted of [undefined, "identity;q=1, gzip;q=0.1"]) {
          const reply = yield* sendRaw(server, list, accepted === undefined ? {} : { "accept-encoding": accepted })
          assert.notProperty(reply.headers, "content-encoding", accepted)
          assert.strictEqual(reply.headers.vary, "Accept-Encoding")
          assert.strictEqual(JSON.parse(reply.bytes.toString()).length, 60)
        }
        for (const [path, status] of [
          ["/v1/pets?limit=2", 200],
          ["/v1/pets/1", 200],
          ["/v1/pets?limit=0", 400],
          [`/v1/pets?${"x=&".repeat(100)}`, 400]
        ] as const) {
          const reply = yield* sendRaw(server, path, { "accept-encoding": "gzip" })
          assert.strictEqual(reply.status, status)
          assert.notProperty(reply.headers, "content-encoding", path)
        }
        // More than can be compressed at a time.
        const replies = yield* Effect.all(
          Array.from({ length: 40 }, () => sendRaw(server, list, { "accept-encoding": "br" })),
          { concurrency: "unbounded" }
        )
        const texts = replies.map(({ bytes, headers }) =>
          (headers["content-encoding"] === "br" ? brotliDecompressSync(bytes) : bytes).toString()
        )
        assert.deepStrictEqual([...new Set(texts)], [plain.bytes.toString()])
      })
  )

  it.effect("given API keys and accounts, when they are many, then nothing of them is compressed", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      for (let number = 0; number < 40; number++) yield* server.keyWith(["pets:read", "orders:read"])
      const keys = yield* sendRaw(server, "/v1/api-keys?limit=100", { "accept-encoding": "br, gzip" })
      assert.isAbove(keys.bytes.length, 4_096)
      assert.notProperty(keys.headers, "content-encoding")
      assert.notProperty(keys.headers, "vary")
    })
  )

  it.effect("given a server that does not compress, when a client accepts gzip, then nothing is compressed", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ compression: false })
      yield* manyPets(server)
      for (const path of [list, "/openapi.json", "/docs/swagger-ui.css"]) {
        const reply = yield* sendRaw(server, path, { "accept-encoding": "gzip" })
        assert.strictEqual(reply.status, 200)
        assert.notProperty(reply.headers, "content-encoding")
        assert.notProperty(reply.headers, "vary")
      }
    })
  )

  it.effect("given pages of other origins, when a list is asked for, then it depends on both headers", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ cors: { origins: ["https://shop.example"] } })
      yield* manyPets(server)
      const reply = yield* sendRaw(server, list, { "accept-encoding": "gzip", origin: "https://shop.example" })
      assert.strictEqual(reply.headers.vary, "Origin, Accept-Encoding")
      assert.strictEqual(reply.headers["content-encoding"], "gzip")
    })
  )

  it.effect(
    "given a handler of the Fetch standard, when a request accepts gzip, then compression is left to the server around it",
    () =>
      Effect.promise(async () => {
        await using petstore = await createPetstore()
        const key = "test-admin-key-0123456789"
        const handler = createHandler(petstore, { adminKey: Redacted.make(key) })
        const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
        for (let number = 0; number < 60; number++) await petstore.pets.create({ name: `Tom ${number}`, categoryId })
        const headers = { authorization: `Bearer ${key}` }
        const ask = (more: Readonly<Record<string, string>>) =>
          handler.fetch(new Request(`http://localhost${list}`, { headers: { ...headers, ...more } }))
        const plain = await ask({})
        assert.isNull(plain.headers.get("content-encoding"))
        const zipped = await ask({ "accept-encoding": "gzip" })
        assert.isNull(zipped.headers.get("content-encoding"))
        assert.isNull(zipped.headers.get("vary"))
        assert.strictEqual(await zipped.text(), await plain.text())
        for (const path of ["/openapi.json", "/docs/swagger-ui.css"]) {
          const file = await handler.fetch(
            new Request(`http://localhost${path}`, { headers: { "accept-encoding": "gzip, br" } })
          )
          assert.strictEqual(file.status, 200)
          assert.isNull(file.headers.get("content-encoding"))
          assert.notStrictEqual((await file.text()).charCodeAt(0), 0x1f)
        }
      })
  )
})

describe("a static file", () => {
  it.effect("given each coding, then each has its own strong entity tag, which alone matches", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      for (const path of ["/openapi.json", "/openapi.yaml", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"]) {
        const asked = ["identity", "gzip", "br"] as const
        const read = (coding: string) => sendRaw(server, path, { "accept-encoding": coding })
        const replies = yield* Effect.all([read("identity"), read("gzip"), read("br")])
        const [plain, zipped, brotli] = replies
        assert.notProperty(plain.headers, "content-encoding", path)
        assert.strictEqual(gunzipSync(zipped.bytes).toString(), plain.bytes.toString())
        assert.strictEqual(brotliDecompressSync(brotli.bytes).toString(), plain.bytes.toString())
        assert.isBelow(zipped.bytes.length, plain.bytes.length / 3)
        const tags = replies.map(({ headers }) => String(headers.etag))
        assert.strictEqual(new Set(tags).size, 3)
        for (const tag of tags) assert.match(tag, /^"[\w-]+"$/)
        for (const [index, coding] of asked.entries()) {
          for (const [other, tag] of tags.entries()) {
            const again = yield* sendRaw(server, path, { "accept-encoding": coding, "if-none-match": tag })
            assert.strictEqual(again.status, index === other ? 304 : 200, `${path} ${coding} ${tag}`)
            assert.strictEqual(again.headers.etag, tags[index])
            assert.strictEqual(again.headers.vary, "Accept-Encoding")
            if (again.status === 304) assert.notProperty(again.headers, "content-encoding")
          }
        }
        const head = yield* sendRaw(server, path, { "accept-encoding": "br" }, "HEAD")
        assert.deepStrictEqual(
          [head.bytes.length, head.headers["content-length"], head.headers["content-encoding"], head.headers.etag],
          [0, String(brotli.bytes.length), "br", tags[2]]
        )
      }
    })
  )
})
