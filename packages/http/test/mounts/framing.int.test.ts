import { assert, describe, it } from "@effect/vitest"
import type { PetstoreHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import express from "express"
import fastify from "fastify"
import { framings, statuses } from "../support/framings.ts"
import { listening } from "../support/listening.ts"
import { adminKey, opened } from "../support/mounts.ts"
import { openConnection } from "../support/RawConnection.ts"

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

describe("a host application", () => {
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
