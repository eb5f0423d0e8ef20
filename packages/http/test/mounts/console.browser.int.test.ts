import { existsSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { getRequestListener } from "@hono/node-server"
import type { HostPrincipal } from "@petstore/http"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"
import type { Browser } from "playwright-core"
import { chromiumPath, launchBrowser, skipped } from "../support/browser.ts"
import { type Mount, openShop, visit } from "../support/consoleVisit.ts"

const tools = fileURLToPath(new URL("../../../../tools/middleware/", import.meta.url))
const hasKoa = existsSync(`${tools}node_modules/koa`)

const user: HostPrincipal = { actor: "user:7", scopes: ["admin"] }
const isSignedIn = (cookie: string | null | undefined): HostPrincipal | undefined =>
  cookie === "session=1" ? user : undefined

/** How the guide says to mount a handler at `/petstore`, by framework. */
const frameworks: Readonly<Record<string, Mount>> = {
  "node:http":
    ({ node }) =>
    (request, response) =>
      request.url?.startsWith("/petstore/") === true ? void node(request, response) : response.writeHead(404).end(),
  Express: ({ node }) => express().use(express.json()).use("/petstore", node),
  Fastify: async ({ node }) => {
    const app = fastify()
    app.all("/petstore/*", (request, reply) => {
      for (const [name, value = ""] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value)
      reply.hijack()
      node(Object.assign(request.raw, { body: request.body }), reply.raw)
    })
    await app.ready()
    return app.routing
  },
  Hono: ({ fetch }) => {
    const app = new Hono()
    app.all("/petstore/*", (context) => fetch(context.req.raw))
    return getRequestListener(app.fetch)
  },
  Koa: ({ node }) => {
    const app = new (createRequire(`${tools}package.json`)("koa"))()
    app.use(
      (context: { path: string; respond: boolean; req: IncomingMessage; res: never }, next: () => Promise<void>) => {
        if (!context.path.startsWith("/petstore/")) return next()
        context.respond = false
        node(context.req, context.res)
        return undefined
      }
    )
    return app.callback()
  }
}

/** Who is asked for: a key in the link, or the session that the app has. */
const signIns = ["a key", "the app's session"] as const

/** A browser on a busy machine takes its time. */
const patience = 300_000

describe.skipIf(chromiumPath === undefined)(
  `the console mounted at a path, behind a prefix that nobody configured${skipped}`,
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launchBrowser()
    }, patience)
    afterAll(() => browser.close(), patience)

    for (const [name, mount] of Object.entries(frameworks)) {
      for (const signIn of signIns) {
        it.skipIf(name === "Koa" && !hasKoa)(
          `given ${name} and ${signIn}, then it follows events, changes the store, and asks only below the prefix`,
          async () => {
            const bySession = signIn === "the app's session"
            const authenticate = (request: IncomingMessage | Request) =>
              isSignedIn(
                "get" in request.headers
                  ? (request as Request).headers.get("cookie")
                  : (request as IncomingMessage).headers.cookie
              )
            const options = { mountPath: "/petstore", ...(bySession ? { authenticate } : {}) }
            const shop = await openShop(options, undefined, mount)
            const address = `${shop.base}/petstore/console`
            const { key } = await shop.keyWith("admin")
            const cookies = bySession ? [{ name: "session", value: "1", url: shop.base }] : []
            const link = bySession ? address : `${address}#key=${key}`
            const { complaints, context, page, requested } = await visit(browser, link, { cookies })
            await page.locator(".side .stream.live").waitFor()
            await page.goto(`${address}#/categories`)
            await page.getByRole("button", { name: "Create a category" }).click()
            await page.locator('.form [name="name"]').fill("Dogs")
            await page.locator("dialog").getByRole("button", { name: "Create the category" }).click()
            await page.locator(".row-link", { hasText: "2" }).click()
            await page.locator(".drawer h2", { hasText: "Dogs" }).waitFor()
            assert.strictEqual((await shop.petstore.categories.get(2)).name, "Dogs")
            // What others do arrives by the stream.
            await shop.petstore.categories.update(2, { name: "Hounds" })
            await page.locator(".drawer h2", { hasText: "Hounds" }).waitFor()
            await page.goto(`${address}#/health`)
            await page.locator("main .badge", { hasText: /^ready$/ }).waitFor()
            assert.deepStrictEqual(complaints, [])
            assert.deepStrictEqual(
              requested.filter((url) => !url.startsWith(`${shop.base}/petstore/`) && !url.startsWith("data:")),
              []
            )
            await context.close()
            await shop.close()
          },
          patience
        )
      }
    }
  }
)
