import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Hono } from "hono"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { gatedStorage } from "../support/GatedStorage.ts"
import { adminKey, opened, sendingBy, worksAtPetstore } from "../support/mounts.ts"

expectLogs("createCategory failed with internal_error")

describe("a Hono app that mounts a petstore under a path", () => {
  for (const [how, mount] of [
    [
      "by app.mount, which strips the path",
      (app: Hono, fetch: (request: Request) => Promise<Response>) => app.mount("/petstore", fetch)
    ],
    [
      "by a route, which keeps the path",
      (app: Hono, fetch: (request: Request) => Promise<Response>) => app.all("/petstore/*", ({ req }) => fetch(req.raw))
    ]
  ] as const) {
    it.effect(`given a mount ${how}, when clients use it, then all works, and the rest stays the app's`, () =>
      Effect.gen(function* () {
        const { handler } = yield* opened({ mountPath: "/petstore" })
        const app = new Hono()
        mount(app, handler.fetch)
        app.get("/fails", () => {
          throw new Error("out of order")
        })
        app.onError((error, context) => context.text(`the shop is ${error.message}`, 500))
        app.notFound((context) => context.text("not in this shop", 404))
        const send = sendingBy((request) => app.fetch(request))
        yield* worksAtPetstore(send)
        assert.strictEqual((yield* send("GET", "/fails")).text, "the shop is out of order")
        assert.strictEqual((yield* send("GET", "/v1/pets")).text, "not in this shop")
      })
    )
  }

  it.effect(
    "given a middleware that has read the body, when the petstore gets it, then the response shows the fix",
    () =>
      Effect.gen(function* () {
        const { handler } = yield* opened({ mountPath: "/petstore" })
        const app = new Hono()
        app.use(async ({ req }, next) => {
          await req.json()
          await next()
        })
        app.all("/petstore/*", ({ req }) => handler.fetch(req.raw))
        const send = sendingBy((request) => app.fetch(request))
        const reply = yield* send("POST", "/petstore/v1/categories", { body: { name: "Cats" } })
        assert.strictEqual(reply.status, 500)
        assert.include(reply.text, "let the other code read request.clone()")
      })
  )
})

describe("Next.js route handlers", () => {
  it.effect("given one function for each method, when clients use them, then all works", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened({ mountPath: "/petstore" })
      const route = (request: Request) => handler.fetch(request)
      const routes: Readonly<Record<string, typeof route>> = {
        GET: route,
        POST: route,
        PUT: route,
        PATCH: route,
        DELETE: route
      }
      yield* worksAtPetstore(
        sendingBy((request) => routes[request.method]?.(request) ?? new Response(null, { status: 405 }))
      )
    })
  )
})

describe("a call of fetch", () => {
  it.effect("given a caller that aborts a pending request, then the request is canceled without effect", () =>
    Effect.gen(function* () {
      const { adapter, beginning } = gatedStorage()
      const { handler, petstore } = yield* opened({}, { storage: adapter })
      yield* beginning.close
      const caller = new AbortController()
      const body = JSON.stringify({ name: "Cats" })
      const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }
      const request = new Request("http://localhost/v1/categories", {
        method: "POST",
        headers,
        body,
        signal: caller.signal
      })
      const response = handler.fetch(request)
      yield* beginning.holds(1)
      caller.abort()
      assert.isAtLeast((yield* Effect.promise(() => response)).status, 400)
      yield* beginning.open
      assert.deepStrictEqual((yield* Effect.promise(() => petstore.categories.list())).items, [])
    })
  )

  it.effect("given no server at all, when the handler is called, then all works", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened({ mountPath: "/petstore" })
      yield* worksAtPetstore(sendingBy(handler.fetch))
    })
  )

  it.effect("given a body that is being read, when the petstore gets it, then the response shows the fix", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const send = sendingBy((request) => {
        request.body?.getReader()
        return handler.fetch(request)
      })
      const reply = yield* send("POST", "/v1/categories", { body: { name: "Cats" } })
      assert.strictEqual(reply.status, 500)
      assert.include(reply.text, "Call handler.fetch before anything else reads the body")
    })
  )

  it.effect("given a body that ends too early, then the response is 400 and nothing has changed", () =>
    Effect.gen(function* () {
      const { handler, petstore } = yield* opened()
      yield* Effect.promise(() => petstore.categories.create({ name: "Cats" }))
      for (const [method, path] of [
        ["DELETE", "/v1/categories/1"],
        ["PATCH", "/v1/categories/1"],
        ["POST", "/v1/categories"]
      ] as const) {
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":"Dogs"}')),
          pull: () => Promise.reject(new Error("the client is gone"))
        })
        const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }
        const request = new Request(
          `http://localhost${path}`,
          Object.assign({ method, headers, body }, { duplex: "half" })
        )
        const response = yield* Effect.promise(() => handler.fetch(request))
        assert.strictEqual(response.status, 400, method)
        assert.deepInclude(yield* Effect.promise(() => response.json()), { code: "malformed_request" })
      }
      const { items } = yield* Effect.promise(() => petstore.categories.list())
      assert.deepStrictEqual(items, [{ id: 1, name: "Cats" }])
    })
  )
})
