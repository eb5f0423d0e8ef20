import { assert } from "@effect/vitest"
import { createPetstore, type PetstoreOptions } from "@petstore/core"
import { createHandler, type HandlerOptions } from "@petstore/http"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type Reply, type Sending, sendTo } from "./TestServer.ts"

/** The admin key of the handlers below. */
export const adminKey = "test-admin-key-0123456789"

/** A petstore in memory and its handler, until the scope closes. */
export const opened = (options: HandlerOptions = {}, petstoreOptions?: PetstoreOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => createPetstore(petstoreOptions)),
      (petstore) => Effect.promise(() => petstore.close())
    ),
    (petstore) => ({
      petstore,
      handler: createHandler(petstore, {
        ...(options.authenticate === undefined ? { adminKey: Redacted.make(adminKey) } : {}),
        ...options
      })
    })
  )

/** Sends a request to a path of a server. */
export type Send = (method: string, path: string, sending?: Sending) => Effect.Effect<Reply>

/** Over the network. */
export const sendingTo =
  (url: string): Send =>
  (method, path, sending = {}) =>
    sendTo(url + path, method, { key: adminKey, ...sending })

/** To a function from Request to Response. */
export const sendingBy =
  (respond: (request: Request) => Response | Promise<Response>): Send =>
  (method, path, { body, headers = {}, key = adminKey, raw } = {}) =>
    Effect.promise(async () => {
      const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const response = await respond(
        new Request(`https://shop.example${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(content === undefined ? {} : { "content-type": "application/json" }),
            ...headers
          },
          ...(content === undefined ? {} : { body: content })
        })
      )
      const text = await response.text()
      const json = response.headers.get("content-type")?.startsWith("application/json")
      return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined }
    })

/** Checks a mount at `/petstore`, in any framework. */
export const worksAtPetstore = (send: Send) =>
  Effect.gen(function* () {
    const made = yield* send("POST", "/petstore/v1/categories", { body: { name: "Kätzchen" } })
    assert.strictEqual(made.status, 201, made.text)
    assert.deepStrictEqual(made.body, { id: 1, name: "Kätzchen" })
    assert.strictEqual(made.headers.get("location"), "/petstore/v1/categories/1")
    yield* send("POST", "/petstore/v1/categories", { body: { name: "Dogs" } })
    const page = yield* send("GET", "/petstore/v1/categories?limit=1")
    const next = /^<(\/petstore\/v1\/categories\?[^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? ""
    assert.deepStrictEqual((yield* send("GET", next)).body, [{ id: 2, name: "Dogs" }])
    const { body } = yield* send("GET", "/petstore/openapi.json")
    assert.deepNestedInclude(body, { "servers[0].url": "/petstore/v1" })

    assert.deepInclude((yield* send("POST", "/petstore/v1/categories", { body: { name: 1 } })).body, {
      code: "validation_failed"
    })
    assert.strictEqual((yield* send("PUT", "/petstore/v1/categories/1", { body: {} })).status, 405)
    assert.strictEqual((yield* send("DELETE", "/petstore/v1/categories/1")).status, 204)
    assert.deepInclude((yield* send("GET", "/petstore/v1/categories/1")).body, { code: "not_found" })
    assert.deepInclude((yield* send("GET", "/petstore/nothing")).body, { code: "not_found" })
    assert.deepInclude((yield* send("GET", "/petstore/v1/pets", { key: "x" })).body, { code: "invalid_api_key" })
  })
