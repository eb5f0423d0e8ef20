import { AsyncLocalStorage } from "node:async_hooks"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { vi } from "vitest"
import { listening } from "../../test/support/listening.ts"
import { adminKey as key, opened, sendingBy } from "../../test/support/mounts.ts"
import { sendTo } from "../../test/support/TestServer.ts"
import { follow } from "../../test/support/transcript.ts"

const requestFor = (method: string, path: string, body?: unknown, more: RequestInit = {}) =>
  new Request(`https://shop.example${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...more
  })

describe("the handler of a petstore", () => {
  it.effect("given an AsyncLocalStorage of the server, then rules see its store, after the body has come too", () =>
    Effect.gen(function* () {
      const user = new AsyncLocalStorage<string>()
      const seen: Array<string | undefined> = []
      const order = () => {
        seen.push(user.getStore())
        return undefined
      }
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ rules: { order } })),
        (made) => Effect.promise(() => made.close())
      )
      const handler = createHandler(petstore, { adminKey: Redacted.make(key) })
      const url = yield* listening((request, response) => user.run("ann", () => handler.node(request, response)))
      const reply = yield* sendTo(`${url}/v1/store/orders`, "POST", { key, body: {} })
      assert.deepStrictEqual([reply.status, seen], [201, ["ann"]])
    })
  )

  it.effect("given requests of the Fetch standard, then it responds the same", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const send = sendingBy(handler.fetch)
      yield* follow(
        send,
        `POST /v1/categories {"name":"Kätzchen"} -> 201 [content-length: 27] [etag: "v1"] is {"id":1,"name":"Kätzchen"}
         HEAD /v1/categories/1? -> 200 [content-length: 27] nothing
         DELETE /v1/categories/1 -> 204 nothing
         GET /v1/categories/1#top -> 404
         PUT /v1/categories/1 {} -> 405 [allow: DELETE, GET, HEAD, OPTIONS, PATCH]
         POST /v1/categories { -> 400
         POST /v1/categories [content-type: application/json] -> 400`
      )
      assert.strictEqual((yield* send("POST", "/v1/categories", { raw: " ".repeat(262_145) })).status, 413)
    })
  )

  it.effect("given a streamed body of the Fetch standard, then it is accepted up to the limit", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened({ bodyLimit: 64 })
      const post = (...chunks: ReadonlyArray<string>) =>
        Effect.promise(() =>
          handler.fetch(
            new Request("https://shop.example/v1/categories", {
              method: "POST",
              headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
              body: new Blob([...chunks]).stream(),
              duplex: "half"
            } as RequestInit)
          )
        )
      assert.strictEqual((yield* post('{"name":', '"Cats"}')).status, 201)
      assert.strictEqual((yield* post('{"name":', `"${"x".repeat(60)}"}`)).status, 413)
      const broken = yield* Effect.promise(() =>
        handler.fetch(
          new Request("https://shop.example/v1/categories", {
            method: "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body: new ReadableStream({
              pull: (controller) => controller.error(new Error("the line is cut"))
            }),
            duplex: "half"
          } as RequestInit)
        )
      )
      assert.strictEqual(broken.status, 400)
      assert.include(yield* Effect.promise(() => broken.text()), "malformed_request")
    })
  )

  it.effect("given many who ask for a large page without a key, then others do not wait for them, and all get it", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened()
      const get = (path: string) => handler.fetch(new Request(`https://shop.example${path}`))
      const now = performance.now()
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(performance, "now").mockImplementation(() => now)),
        (clock) => Effect.sync(() => clock.mockRestore())
      )
      yield* Effect.promise(() => get("/openapi.json"))
      let responses = 0
      const pages = Array.from({ length: 100 }, async () => {
        const { status } = await get("/openapi.json")
        responses++
        return status
      })
      for (let i = 0; i < 10; i++) assert.strictEqual((yield* Effect.promise(() => get("/"))).status, 200)
      assert.isBelow(responses, 20)
      yield* Effect.promise(() => handler.close())
      assert.deepStrictEqual(new Set(yield* Effect.promise(() => Promise.all(pages))), new Set([200]))
    })
  )

  it.effect("given that it is closed, then it rejects requests, and the petstore still works", () =>
    Effect.gen(function* () {
      const { handler, petstore } = yield* opened()
      yield* Effect.promise(() => handler.close())
      const response = yield* Effect.promise(() => handler.fetch(requestFor("GET", "/v1/pets")))
      assert.strictEqual(response.status, 503)
      assert.include(yield* Effect.promise(() => response.text()), "shutting_down")
      assert.strictEqual((yield* Effect.promise(() => petstore.pets.list())).items.length, 0)
    })
  )

  for (const [form, adminKey] of [
    ["a string", key],
    ["redacted", Redacted.make(key)]
  ] as const) {
    it.effect(`given an admin key that is ${form}, then it authenticates, and nothing else does`, () =>
      Effect.gen(function* () {
        const { handler } = yield* opened({ adminKey })
        const status = (token: string) =>
          Effect.promise(async () => {
            const request = requestFor("GET", "/v1/api-keys", undefined, {
              headers: { authorization: `Bearer ${token}` }
            })
            return (await handler.fetch(request)).status
          })
        assert.deepStrictEqual(
          yield* Effect.forEach([key, `${key}0`, String(Redacted.make(key))], status),
          [200, 401, 401]
        )
      })
    )
  }

  it.effect("given an admin key of its own, then the last admin key in the store is revoked", () =>
    Effect.gen(function* () {
      const { handler, petstore } = yield* opened({ adminKey: key })
      const { id: accountId } = yield* Effect.promise(() => petstore.accounts.create({ name: "Shop" }))
      const last = yield* Effect.promise(() => petstore.apiKeys.create({ accountId, name: "Admin", preset: "admin" }))
      const revoke = (token: string) =>
        Effect.promise(() =>
          handler.fetch(
            requestFor("DELETE", `/v1/api-keys/${last.id}`, undefined, {
              headers: { authorization: `Bearer ${token}` }
            })
          )
        )
      const inProcess = yield* Effect.promise(() => petstore.apiKeys.revoke(last.id).catch((error) => error.code))
      assert.strictEqual(inProcess, "last_admin_key")
      assert.strictEqual((yield* revoke(last.key)).status, 204)
      assert.strictEqual((yield* revoke(last.key)).status, 401)
      assert.strictEqual((yield* revoke(key)).status, 404)
    })
  )

  it.effect("given no admin key of its own, then the last admin key in the store is kept", () =>
    Effect.gen(function* () {
      const { petstore } = yield* opened()
      const handler = createHandler(petstore)
      const { id: accountId } = yield* Effect.promise(() => petstore.accounts.create({ name: "Shop" }))
      const last = yield* Effect.promise(() => petstore.apiKeys.create({ accountId, name: "Admin", preset: "admin" }))
      const headers = { authorization: `Bearer ${last.key}` }
      const request = requestFor("DELETE", `/v1/api-keys/${last.id}`, undefined, { headers })
      const reply = yield* Effect.promise(() => handler.fetch(request))
      assert.strictEqual(reply.status, 409)
      assert.include(yield* Effect.promise(() => reply.text()), "last_admin_key")
    })
  )
})
