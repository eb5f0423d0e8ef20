import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { Petstore } from "@petstore/core/effect"
import { makeHandler, type PetstoreHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import fastify from "fastify"
import { adminKey, opened } from "../support/mounts.ts"

const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }

const placing = () => new Request("http://shop.example/v1/store/orders", { method: "POST", headers, body: "{}" })

/** How code in this process may place an order with a handler. Each returns why it is rejected; an empty text if it is not. */
const ways: Readonly<Record<string, (handler: PetstoreHandler) => Promise<string>>> = {
  fetch: async ({ fetch }) => {
    const response = await fetch(placing())
    return response.ok ? "" : response.text()
  },
  "fetch, later": async ({ fetch }) => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    const response = await fetch(placing())
    return response.ok ? "" : response.text()
  },
  node: async ({ node }) => {
    const app = fastify()
    app.all("/*", (request, reply) => {
      reply.hijack()
      node(Object.assign(request.raw, { body: request.body }), reply.raw)
    })
    const { body, statusCode } = await app.inject({ method: "POST", url: "/v1/store/orders", headers, payload: "{}" })
    return statusCode === 201 ? "" : body
  },
  "a client": ({ fetch }) => {
    const client = createClient({
      baseUrl: "http://shop.example/v1",
      key: adminKey,
      fetch: (input, init) => fetch(new Request(input, init))
    })
    return client.orders.place({}).then(() => "", String)
  },
  // As plain JavaScript may pass it.
  "a client whose fetch is that of the handler": ({ fetch }) => {
    const client = createClient({ baseUrl: "http://shop.example/v1", key: adminKey, fetch: fetch as never })
    return client.orders.place({}).then(() => "", String)
  }
}

const refusal = /called the petstore instead of its argument/

describe("given a transaction whose body sends requests to a handler of the same petstore", () => {
  for (const [name, place] of Object.entries(ways)) {
    it.effect(`when it does by ${name}, then they are rejected, and nothing is changed; others are not`, () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened()
        yield* Effect.promise(async () => {
          await petstore.transaction(async (tx) => {
            assert.match(await place(handler), refusal)
            await tx.transaction(async () => assert.match(await place(handler), refusal))
          })
          assert.lengthOf((await petstore.orders.list()).items, 0)

          const gate = Promise.withResolvers<void>()
          const open = petstore.transaction(() => gate.promise)
          assert.strictEqual(await place(handler), "")
          gate.resolve()
          await open
          assert.lengthOf((await petstore.orders.list()).items, 1)
        })
      })
    )
  }

  it.effect("when its body is an effect, then they are rejected, too", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const handler = yield* makeHandler({ adminKey: Redacted.make(adminKey) })
      const fetched = Effect.promise(async () => (await handler.fetch(placing())).text())
      yield* petstore.transaction(() => Effect.map(fetched, (text) => assert.match(text, refusal)))
      assert.lengthOf((yield* petstore.orders.list()).items, 0)
      assert.notMatch(yield* fetched, refusal)
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect("when it is the handler of another petstore, then they are handled", () =>
    Effect.gen(function* () {
      const { petstore } = yield* opened()
      const { handler } = yield* opened()
      yield* Effect.promise(() =>
        petstore.transaction(async () => assert.strictEqual((await handler.fetch(placing())).status, 201))
      )
    })
  )
})
