import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { listening, opened, sendingTo, worksAtPetstore } from "../support/mounts.ts"

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
