import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { Petstore } from "@petstore/core"
import type { PetstoreHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import express, { type RequestHandler } from "express"
import fastify, { type FastifyPluginCallback } from "fastify"
import { Hono } from "hono"
import { compress } from "hono/compress"
import { cors } from "hono/cors"
import { logger } from "hono/logger"
import { secureHeaders } from "hono/secure-headers"
import { timing } from "hono/timing"
import { listening } from "../support/listening.ts"
import { adminKey, opened, sendingTo, worksAtPetstore } from "../support/mounts.ts"

const require = createRequire(new URL("../../../../tools/middleware/package.json", import.meta.url))

/** A function of a package, whether that is its export or its default. */
const load = <Returned>(name: string): ((...options: ReadonlyArray<unknown>) => Returned) => {
  const loaded = require(name)
  return typeof loaded === "function" ? loaded : loaded.default
}

const origin = "https://shop.example"
const quiet = { write: () => {} }

/** A part of each header that shows that a middleware has run. */
type Marks = Readonly<Record<string, string>>

const loads: ReadonlyArray<readonly [name: string, marks: Marks, ...options: ReadonlyArray<unknown>]> = [
  ["helmet-3", { "x-content-type-options": "nosniff" }],
  ["helmet", { "x-content-type-options": "nosniff" }],
  ["cors-2.8.5", { "access-control-allow-origin": origin, vary: "Origin" }, { origin }],
  ["cors", { "access-control-allow-origin": origin, vary: "Origin" }, { origin }],
  ["morgan-1.10", {}, "tiny", { stream: quiet }],
  ["morgan", {}, "tiny", { stream: quiet }],
  ["pino-http-5", {}, {}, quiet],
  ["pino-http", {}, {}, quiet],
  ["compression-1.7", { vary: "Accept-Encoding" }, { threshold: 0 }],
  ["compression", { vary: "Accept-Encoding" }, { threshold: 0 }],
  ["express-session-1.17", { "set-cookie": "connect.sid=" }, { secret: "s", resave: true, saveUninitialized: true }],
  ["express-session", { "set-cookie": "connect.sid=" }, { secret: "s", resave: true, saveUninitialized: true }],
  ["cookie-session-1", { "set-cookie": "express:sess=" }, { secret: "s" }],
  ["cookie-session", { "set-cookie": "session=" }, { secret: "s" }],
  ["response-time-2.3.2", { "x-response-time": "ms" }],
  ["response-time", { "x-response-time": "ms" }],
  ["express-rate-limit-5", { "x-ratelimit-limit": "1000" }, { max: 1000 }],
  ["express-rate-limit", { ratelimit: "-in-" }, { limit: 1000, standardHeaders: "draft-8", validate: false }]
]

/** Uses the session, if there is one. */
const visit: RequestHandler = (request, _response, next) => {
  if ("session" in request) Object.assign(request.session as object, { visits: 1 })
  next()
}

const works = (url: string, petstore: Petstore, marks: Marks) =>
  Effect.gen(function* () {
    const send = sendingTo(url)
    yield* worksAtPetstore(send)
    const { headers } = yield* send("GET", "/petstore/v1/categories", { headers: { origin } })
    for (const [name, part] of Object.entries(marks)) assert.include(headers.get(name) ?? "", part, name)
    yield* Effect.promise(() => streams((init) => fetch(`${url}/petstore/v1/events/stream`, init), petstore))
  })

/** Checks that each event arrives before the next is committed. */
const streams = async (ask: (init: RequestInit) => Response | Promise<Response>, petstore: Petstore) => {
  const leave = new AbortController()
  const headers = { authorization: `Bearer ${adminKey}`, "accept-encoding": "gzip" }
  const response = await ask({ headers, signal: leave.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (const name of ["Fish", "Birds", "Frogs"]) {
    const { id } = await petstore.categories.create({ name })
    while (!text.includes(`"id":${id},"name":"${name}"`)) {
      text += (await reader?.read())?.value ?? assert.fail(`The stream ended: ${text}`)
    }
  }
  leave.abort()
  await reader?.cancel().catch(() => {})
}

describe("an Express app that mounts a petstore behind middleware", () => {
  const shop = (packages: typeof loads) =>
    Effect.gen(function* () {
      const { handler, petstore } = yield* opened({ mountPath: "/petstore" })
      const app = express()
      for (const [name, , ...options] of packages) app.use(load<RequestHandler>(name)(...options))
      app.use(visit).use("/petstore", handler.node)
      yield* works(yield* listening(app), petstore, Object.assign({}, ...packages.map(([, marks]) => marks)))
    })

  for (const entry of loads) {
    it.live(`given ${entry[0]}, then all works, and events arrive at once`, () => shop([entry]))
  }
  for (const [which, place] of [
    ["oldest", 0],
    ["newest", 1]
  ] as const) {
    it.live(`given the ${which} of each, then all works, and events arrive at once`, () =>
      // Both kinds of sessions have the same place in a request.
      shop(loads.filter(([name], index) => index % 2 === place && !name.startsWith("cookie-session")))
    )
  }
})

describe("a Fastify app that mounts a petstore behind plugins", () => {
  const marks = {
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": origin,
    vary: "Origin",
    "x-ratelimit-limit": "1000"
  }
  for (const [which, name, names] of [
    ["oldest", "fastify-4", ["helmet-9", "cors-8", "compress-6", "cookie-7", "session-9", "rate-limit-7"]],
    ["newest", "fastify", ["helmet", "cors", "compress", "cookie", "session", "rate-limit"]]
  ] as const) {
    it.live(`given the ${which} of each, then all works, and events arrive at once`, () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened({ mountPath: "/petstore" })
        const { url } = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const make: typeof fastify = name === "fastify" ? fastify : require(name)
            const app = make({ logger: { stream: quiet }, forceCloseConnections: true })
            const options = [
              {},
              { origin: [origin] },
              { threshold: 0 },
              {},
              { secret: "s".repeat(32), cookie: { secure: false } },
              { max: 1000 }
            ]
            for (const [index, plugin] of names.entries()) {
              await app.register(require(`@fastify/${plugin}`) as FastifyPluginCallback<object>, options[index] ?? {})
            }
            app.all("/petstore/*", (request, reply) => {
              for (const [name, value = ""] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value)
              reply.hijack()
              handler.node(Object.assign(request.raw, { body: request.body }), reply.raw)
            })
            return { app, url: await app.listen({ port: 0, host: "127.0.0.1" }) }
          }),
          ({ app }) => Effect.promise(() => app.close())
        )
        yield* works(url, petstore, marks)
      })
    )
  }
})

/** What is used here of Koa. */
interface KoaApp {
  readonly use: (middleware: unknown) => KoaApp
  readonly callback: () => Parameters<typeof listening>[0]
}

interface KoaContext {
  readonly req: Parameters<PetstoreHandler["node"]>[0]
  readonly res: Parameters<PetstoreHandler["node"]>[1]
  respond: boolean
}

const koa = (name: string): KoaApp => {
  const loaded = require(name)
  return new (loaded.default ?? loaded)()
}

describe("a Koa app that mounts a petstore behind middleware", () => {
  const marks = {
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": origin,
    vary: "Origin",
    "x-ratelimit-limit": "1000"
  }
  for (const [which, names] of [
    ["old", ["koa-2", "koa-helmet-6", "@koa/cors-3", "koa-compress-3", "koa-session-6", "koa-ratelimit-5"]],
    ["newest", ["koa", "koa-helmet", "@koa/cors", "koa-compress", "koa-session", "koa-ratelimit"]]
  ] as const) {
    it.live(`given the ${which} release of each, then all works, and events arrive at once`, () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened({ mountPath: "/petstore" })
        const [name, helmet, crossOrigin, compressing, session, rateLimit] = names
        const app = koa(name)
        const limit = { driver: "memory", db: new Map(), max: 1000, headers: { total: "X-RateLimit-Limit" } }
        app
          .use(load("koa-response-time")())
          .use(load("koa-morgan")("tiny", { stream: quiet }))
          .use(load(helmet)())
          .use(load(crossOrigin)({ origin }))
          .use(load(compressing)({ threshold: 0 }))
          .use(load(session)({ signed: false }, app))
          .use(load(rateLimit)(limit))
          .use((context: KoaContext) => {
            context.respond = false
            handler.node(context.req, context.res)
          })
        yield* works(yield* listening(app.callback()), petstore, marks)
      })
    )
  }
})

/** What is used here of Hono 3, in the types of the newest. */
const loadHono = async () => {
  const folder = new URL("../", pathToFileURL(require.resolve("hono-3")))
  const middleware = ["compress", "cors", "logger", "timing"].map((name) => `middleware/${name}/index.js`)
  const parts = await Promise.all(["index.js", ...middleware].map((file) => import(new URL(file, folder).href)))
  return Object.assign({}, ...parts) as {
    readonly Hono: typeof Hono
    readonly compress: typeof compress
    readonly cors: typeof cors
    readonly logger: typeof logger
    readonly timing: typeof timing
  }
}

describe("a Hono app that mounts a petstore behind middleware", () => {
  // Hono 3.4 has no middleware for security headers, and its compression holds back what any stream sends.
  for (const [which, make, compressed, secure] of [
    ["oldest", loadHono, "/petstore/v1/categories", []],
    ["newest", async () => ({ Hono, compress, cors, logger, timing }), "*", [secureHeaders()]]
  ] as const) {
    it.live(`given the ${which} of each, then all works, and events arrive at once`, () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened({ mountPath: "/petstore" })
        const { Hono, compress, cors, logger, timing } = yield* Effect.promise(make)
        const app = new Hono()
          .use(
            "*",
            logger(() => {})
          )
          .use("*", timing())
          .use("*", cors({ origin }))
          .use(compressed, compress({ threshold: 0 }))
        for (const middleware of secure) app.use("*", middleware)
        app.all("/petstore/*", (context) => handler.fetch(context.req.raw))
        const headers = { authorization: `Bearer ${adminKey}`, origin, "accept-encoding": "gzip" }
        yield* Effect.promise(async () => {
          const response = await app.request("/petstore/v1/categories", { headers })
          assert.strictEqual(response.status, 200)
          for (const [name, part] of [
            ...(secure.length > 0 ? [["x-content-type-options", "nosniff"] as const] : []),
            ["access-control-allow-origin", origin],
            ["content-encoding", "gzip"],
            ["server-timing", "total"]
          ] as const) {
            assert.include(response.headers.get(name) ?? "", part)
          }
          await streams((init) => app.request("/petstore/v1/events/stream", init), petstore)
        })
      })
    )
  }
})
