import { assert, describe, it } from "@effect/vitest"
import type { PetstoreHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import fastify, { type FastifyInstance } from "fastify"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { opened, type Send, sendingTo, worksAtPetstore } from "../support/mounts.ts"

expectLogs("createCategory failed with internal_error")

const shop = (mount: (app: FastifyInstance) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const app = fastify()
      mount(app)
      app.post("/echo", async (request) => request.body)
      app.get("/fails", () => {
        throw new Error("out of order")
      })
      app.setNotFoundHandler((_request, reply) => reply.code(404).send("not in this shop"))
      return { app, send: sendingTo(await app.listen({ port: 0, host: "127.0.0.1" })) }
    }),
    ({ app }) => Effect.promise(() => app.close())
  ).pipe(Effect.map(({ send }) => send))

const isStillAShop = (send: Send) =>
  Effect.gen(function* () {
    assert.deepStrictEqual((yield* send("POST", "/echo", { body: { a: 1 } })).body, { a: 1 })
    assert.deepInclude((yield* send("POST", "/echo", { raw: "{" })).body, { statusCode: 400 })
    assert.deepInclude((yield* send("GET", "/fails")).body, { message: "out of order", statusCode: 500 })
    assert.strictEqual((yield* send("GET", "/v1/pets")).text, "not in this shop")
  })

const mountWithParsers = (app: FastifyInstance, handler: PetstoreHandler) =>
  app.all("/petstore/*", (request, reply) => {
    reply.hijack()
    handler.node(Object.assign(request.raw, { body: request.body }), reply.raw)
  })

const mountWithoutParsers = (app: FastifyInstance, handler: PetstoreHandler) =>
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    scope.all("/petstore/*", (request, reply) => {
      reply.hijack()
      handler.node(request.raw, reply.raw)
    })
  })

describe("a Fastify app that mounts a petstore under a path", () => {
  for (const [how, mount] of [
    ["with its parsers on", mountWithParsers],
    ["in a scope without parsers", mountWithoutParsers]
  ] as const) {
    it.effect(`given a mount ${how}, when clients use it, then all works, and the rest stays the app's`, () =>
      Effect.gen(function* () {
        const { handler } = yield* opened({ mountPath: "/petstore" })
        const send = yield* shop((app) => void mount(app, handler))
        yield* worksAtPetstore(send)
        yield* isStillAShop(send)
      })
    )
  }

  it.effect("given a mount with its parsers on that does not hand over the body, then the response shows the fix", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened({ mountPath: "/petstore" })
      const send = yield* shop(
        (app) =>
          void app.all("/petstore/*", (request, reply) => {
            reply.hijack()
            handler.node(request.raw, reply.raw)
          })
      )
      const reply = yield* send("POST", "/petstore/v1/categories", { body: { name: "Cats" } })
      assert.strictEqual(reply.status, 500)
      assert.include(reply.text, "leave the body in request.body")
    })
  )
})
