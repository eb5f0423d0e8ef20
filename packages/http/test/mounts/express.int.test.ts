import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import express, { type ErrorRequestHandler, type RequestHandler } from "express"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { listening } from "../support/listening.ts"
import { opened, type Send, sendingTo, worksAtPetstore } from "../support/mounts.ts"

expectLogs("createCategory failed with internal_error")

const shop = (mount: (app: express.Express) => void) => {
  const app = express()
  mount(app)
  app.post("/echo", express.json(), (request, response) => void response.json(request.body))
  app.get("/fails", () => {
    throw new Error("out of order")
  })
  app.use((_request, response) => void response.status(404).send("not in this shop"))
  const onError: ErrorRequestHandler = (error: Error, _request, response, _next) =>
    void response.status(500).send(`the shop is ${error.message}`)
  app.use(onError)
  return Effect.map(listening(app), sendingTo)
}

const isStillAShop = (send: Send) =>
  Effect.gen(function* () {
    assert.deepStrictEqual((yield* send("POST", "/echo", { body: { a: 1 } })).body, { a: 1 })
    assert.strictEqual((yield* send("GET", "/fails")).text, "the shop is out of order")
    assert.strictEqual((yield* send("GET", "/v1/pets")).text, "not in this shop")
  })

describe("an Express app that mounts a petstore under a path", () => {
  const places: ReadonlyArray<readonly [where: string, before: ReadonlyArray<RequestHandler>]> = [
    ["before any parser of bodies", []],
    ["after express.json()", [express.json()]],
    ["after express.text() of all types", [express.text({ type: "*/*" })]],
    ["after express.raw() of all types", [express.raw({ type: "*/*" })]]
  ]
  for (const [where, before] of places) {
    it.effect(`given a mount ${where}, when clients use it, then all works, and the rest stays the app's`, () =>
      Effect.gen(function* () {
        const { handler } = yield* opened({ mountPath: "/petstore" })
        const send = yield* shop((app) => app.use("/petstore", ...before, handler.node))
        yield* worksAtPetstore(send)
        yield* isStillAShop(send)
      })
    )
  }

  it.effect("given a route that keeps the path, when clients use it, then all works", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened({ mountPath: "/petstore" })
      yield* worksAtPetstore(yield* shop((app) => app.all("/petstore/*rest", handler.node)))
    })
  )

  it.effect(
    "given a middleware that reads bodies and keeps nothing, when one comes, then the response shows the fix",
    () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened({ mountPath: "/petstore" })
        const swallow: RequestHandler = (request, _response, next) => void request.resume().on("end", next)
        const send = yield* shop((app) => app.use("/petstore", swallow, handler.node))
        const reply = yield* send("POST", "/petstore/v1/categories", { body: { name: "Cats" } })
        assert.strictEqual(reply.status, 500)
        assert.include(reply.text, "Mount handler.node before body parsers")
        assert.strictEqual((yield* send("GET", "/petstore/v1/categories")).status, 200)
        assert.strictEqual((yield* Effect.promise(() => petstore.categories.list())).items.length, 0)
      })
  )

  it.effect(
    "given a parsed body above the limit of the petstore, when it comes, then it is rejected as too large",
    () =>
      Effect.gen(function* () {
        const { handler } = yield* opened({ mountPath: "/petstore", bodyLimit: 32 })
        // No header has the length of the body: only the parsed body shows that there is one.
        const forget: RequestHandler = ({ headers }, _response, next) => {
          headers["content-length"] = undefined
          headers["transfer-encoding"] = "chunked"
          next()
        }
        const send = yield* shop((app) => app.use("/petstore", express.json(), forget, handler.node))
        assert.strictEqual(
          (yield* send("POST", "/petstore/v1/categories", { body: { name: "x".repeat(60) } })).status,
          413
        )
      })
  )
})
