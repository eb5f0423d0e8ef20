import { assert, describe, it } from "@effect/vitest"
import type { PetstoreHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import express from "express"
import fastify from "fastify"
import { framings, malformedHeads, statuses } from "../support/framings.ts"
import { listening } from "../support/listening.ts"
import { adminKey, opened, sendingTo } from "../support/mounts.ts"
import { openConnection } from "../support/RawConnection.ts"
import { startServer } from "../support/TestServer.ts"

type Mount = (handler: PetstoreHandler) => Effect.Effect<string, never, Scope.Scope>

const frameworks: Readonly<Record<string, Mount>> = {
  "node:http": ({ node }) => listening(node),
  Express: ({ node }) => listening(express().use(node)),
  "Express after express.json()": ({ node }) =>
    listening(
      express()
        .use(express.json({ type: "*/*" }))
        .use(node)
    ),
  Fastify: ({ node }) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(async () => {
          const app = fastify()
          app.removeAllContentTypeParsers()
          app.addContentTypeParser("*", (_request, _payload, done) => done(null))
          app.all("/*", (request, reply) => {
            reply.hijack()
            node(request.raw, reply.raw)
          })
          return { app, url: await app.listen({ port: 0, host: "127.0.0.1" }) }
        }),
        ({ app }) => Effect.promise(() => app.close())
      ),
      ({ url }) => url
    )
}

describe("given requests whose heads node:http takes, and the petstore does not", () => {
  const ways: Readonly<Record<string, Mount>> = {
    serve: () => Effect.map(startServer(), ({ server }) => server.url),
    ...frameworks
  }
  for (const [name, mount] of Object.entries(ways)) {
    it.effect(`when they come to ${name}, then each is rejected, and nothing that follows has an effect`, () =>
      Effect.gen(function* () {
        const { handler } = yield* opened()
        const { port } = new URL(yield* mount(handler))
        const next = `POST /v1/categories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`
        for (const [fault, [head, code]] of Object.entries(malformedHeads(adminKey))) {
          const connection = yield* openConnection(Number(port))
          yield* connection.write(`POST /v1/categories ${head}\r\n`)
          const { body, headers } = yield* connection.reply
          assert.deepInclude(body, { code }, fault)
          if (code !== "malformed_request") continue
          assert.strictEqual(headers.connection, "close", fault)
          yield* connection.write(next)
          assert.strictEqual(yield* connection.close, "", fault)
        }
      })
    )
  }
})

describe("a host application", () => {
  it.effect("given requests of its own, without raw headers and a version, then they take effect", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const url = yield* listening((request, response) => {
        for (const name of ["rawHeaders", "httpVersionMajor", "httpVersionMinor"] as const)
          Reflect.deleteProperty(request, name)
        Object.defineProperty(request, "rawHeaders", { value: undefined })
        handler.node(request, response)
      })
      const send = sendingTo(url)
      assert.strictEqual((yield* send("POST", "/v1/categories", { body: { name: "Cats" } })).status, 201)
      assert.strictEqual((yield* send("GET", "/v1/categories")).status, 200)
    })
  )

  for (const [name, mount] of Object.entries(frameworks)) {
    it.effect(
      `given ${name} and requests that are malformed after their headers, then nothing changes, with one response`,
      () =>
        Effect.gen(function* () {
          const { handler, petstore } = yield* opened()
          yield* Effect.promise(() => petstore.categories.create({ name: "Cats" }))
          const { port } = new URL(yield* mount(handler))
          for (const [fault, { ends = false, headers, rest }] of Object.entries(framings)) {
            for (const line of ["DELETE /v1/categories/1", "GET /v1/categories"]) {
              const connection = yield* openConnection(Number(port))
              yield* connection.write(
                `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n${headers}\r\n${rest}`
              )
              if (ends) yield* connection.end
              const received = yield* connection.close
              // A server that cannot parse a request may close its connection without a response.
              assert.isAtMost(statuses(received).length, 1, `${fault}: ${received}`)
              assert.notMatch(received, /HTTP\/1\.1 2/, fault)
            }
          }
          const { items } = yield* Effect.promise(() => petstore.categories.list())
          assert.deepStrictEqual(items, [{ id: 1, name: "Cats" }])
        })
    )
  }
})

describe("given an app that has set headers of the body before it passes the request on", () => {
  const set = [
    ["Transfer-Encoding", "chunked"],
    ["Transfer-Encoding", "gzip"],
    ["Content-Length", "3"],
    ["Content-Length", "999999"],
    ["Content-Encoding", "gzip"],
    ["Content-Range", "bytes 0-1/2"],
    ["Trailer", "Expires"],
    ["Upgrade", "h2c"],
    ["Connection", "upgrade"],
    ["Connection", "Content-Type"],
    ["Connection", "keep-alive"]
  ] as const
  const ofApp = new Set(["transfer-encoding", "content-encoding", "content-range", "trailer", "upgrade"])
  for (const [name, value] of set) {
    it.effect(`when it is ${name}: ${value}, then the response is that of the petstore, and so is the next one`, () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened()
        const url = yield* listening((request, response) => {
          response.setHeader(name, value)
          response.statusMessage = "Of the app"
          handler.node(request, response)
        })
        const { port } = new URL(url)
        const connection = yield* openConnection(Number(port))
        const common = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n`
        const body = '{"name":"Cats"}'
        const made = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        for (const [request, status] of [
          [`POST /v1/categories ${common}${made}`, 201],
          [`GET /v1/categories ${common}\r\n`, 200],
          [`DELETE /v1/categories/1 ${common}\r\n`, 204],
          [`GET /nothing ${common}\r\n`, 404]
        ] as const) {
          yield* connection.write(request)
          const { headers, status: sent, text } = yield* connection.reply
          assert.strictEqual(sent, status)
          assert.strictEqual(headers["content-length"], status === 204 ? undefined : String(Buffer.byteLength(text)))
          assert.deepStrictEqual(
            Object.keys(headers).filter((header) => ofApp.has(header)),
            []
          )
          assert.oneOf(headers.connection, [undefined, "keep-alive"])
        }
        yield* connection.write(`HEAD /v1/categories ${common}\r\nGET /nothing ${common}Connection: close\r\n\r\n`)
        const rest = yield* connection.close
        assert.deepStrictEqual(statuses(rest), [200, 404], rest)

        const stream = yield* openConnection(Number(port))
        yield* stream.write(`GET /v1/events/stream?after=0 ${common}Connection: close\r\n\r\n`)
        yield* Effect.promise(async () => {
          while ((await petstore.stats()).events.subscribers === 0) await new Promise(setImmediate)
          await handler.close()
        })
        const received = yield* stream.close
        assert.match(received, /^HTTP\/1.1 200 OK\r\n/)
        assert.match(received, /retry: 1000/)
        const headers = received.slice(0, received.indexOf("\r\n\r\n"))
        assert.notMatch(headers, /^(?:Content-(?!Type)|Trailer|Upgrade|Transfer-Encoding: (?!chunked))/im)
      })
    )
  }

  it.effect("when it closes the connection, then it closes behind the response", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const url = yield* listening((request, response) => {
        response.setHeader("Connection", "close")
        handler.node(request, response)
      })
      const connection = yield* openConnection(Number(new URL(url).port))
      yield* connection.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
      assert.match(yield* connection.close, /^HTTP\/1.1 200 OK\r\n.*Connection: close\r\n/s)
    })
  )
})
