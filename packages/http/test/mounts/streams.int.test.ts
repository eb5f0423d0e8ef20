import { connect } from "node:http2"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { PetstoreHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"
import { listening, listeningHttp2 } from "../support/listening.ts"
import { adminKey, opened } from "../support/mounts.ts"

/** Sends a request to an app. */
type Ask = (path: string, init: RequestInit) => Promise<Response>

const over =
  (url: string): Ask =>
  (path, init) =>
    fetch(url + path, init)

const within =
  (respond: (request: Request) => Response | Promise<Response>): Ask =>
  async (path, init) =>
    respond(new Request(`https://shop.example${path}`, init))

const mounts: Readonly<Record<string, (handler: PetstoreHandler) => Effect.Effect<Ask, never, Scope.Scope>>> = {
  "node:http": ({ node }) => Effect.map(listening(node), over),
  Express: ({ node }) => Effect.map(listening(express().use(express.json(), node)), over),
  Fastify: ({ node }) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const app = fastify({ forceCloseConnections: true })
        app.all("/*", (request, reply) => {
          reply.hijack()
          node(Object.assign(request.raw, { body: request.body }), reply.raw)
        })
        return { app, url: await app.listen({ port: 0, host: "127.0.0.1" }) }
      }),
      ({ app }) => Effect.promise(() => app.close())
    ).pipe(Effect.map(({ url }) => over(url))),
  Hono: (handler) => Effect.succeed(within((request) => new Hono().mount("/", handler.fetch).fetch(request))),
  fetch: (handler) => Effect.succeed(within(handler.fetch))
}

describe("a stream of events in a server of the host application", () => {
  for (const [name, mount] of Object.entries(mounts)) {
    it.live(`given ${name}, then events arrive as they are committed, and nothing is left when the client leaves`, () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened()
        const ask = yield* mount(handler)
        const leave = new AbortController()
        const headers = { authorization: `Bearer ${adminKey}` }
        const subscribers = async (): Promise<number> => (await petstore.stats()).events.subscribers

        yield* Effect.promise(async () => {
          const response = await ask("/v1/events/stream?after=0", { headers, signal: leave.signal })
          assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
          const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
          let text = ""
          for (const [index, category] of ["Dogs", "Cats"].entries()) {
            await petstore.categories.create({ name: category })
            while (!text.includes(`id: ${index + 1}\nevent: category.created\ndata: {"id":"evt_`)) {
              text += (await reader?.read())?.value ?? assert.fail(`The stream ended: ${text}`)
            }
          }
          assert.strictEqual(await subscribers(), 1)
          leave.abort()
          await reader?.cancel().catch(() => {})
          while ((await subscribers()) > 0) await new Promise((done) => setTimeout(done, 5))

          const second = await ask("/v1/events/stream", { headers })
          const rest = second.text()
          await handler.close()
          assert.strictEqual(await rest, "retry: 1000\n\n")
          assert.strictEqual(await subscribers(), 0)
        })
      })
    )
  }

  it.live("given HTTP/2 and a client that left before the handler was called, then nothing is left", () =>
    Effect.gen(function* () {
      const { handler, petstore } = yield* opened()
      let called = () => {}
      const isCalled = new Promise<void>((resolve) => (called = resolve))
      const url = yield* listeningHttp2((request, response) => {
        response.once("close", () => {
          handler.node(request, response)
          called()
        })
      })
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => connect(url)),
        (opened) => Effect.sync(() => opened.destroy())
      )
      const headers = { ":path": "/v1/events/stream?after=0", authorization: `Bearer ${adminKey}` }
      const stream = client.request(headers)
      stream.on("error", () => {})
      yield* Effect.promise(async () => {
        await new Promise((resolve) => client.ping((_, __, ___) => resolve(undefined)))
        stream.close(8)
        await isCalled
        for (let turn = 0; turn < 200; turn++) await setImmediate()
        assert.strictEqual((await petstore.stats()).events.subscribers, 0)
      })
    })
  )
})
