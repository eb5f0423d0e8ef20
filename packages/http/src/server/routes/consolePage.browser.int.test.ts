import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Browser, Page } from "playwright-core"
import { chromiumPath, noChromium, startBrowser } from "../../../test/support/browser.ts"
import { openShop, type Shop, visit } from "../../../test/support/consoleVisit.ts"

const root = fileURLToPath(new URL("../../../../../", import.meta.url))
// As it is now, not as it was when it was last built.
execFileSync(process.execPath, ["scripts/bundleConsole.js"], { cwd: root })

/** Every page, by its heading. */
const pages = {
  overview: "Overview",
  orders: "Orders",
  pets: "Pets and stock",
  events: "Events",
  webhooks: "Webhooks",
  messages: "Messages",
  consumers: "Consumers",
  keys: "Keys",
  health: "Health"
}

const heading = (page: Page, name: string) => page.locator("main h1", { hasText: name }).first()

/** A browser on a busy machine takes its time. */
const patience = 120_000
const skipped = chromiumPath === undefined ? ` (skipped: ${noChromium})` : ""

describe("the files of the console", () => {
  it("when they are compressed, then they have at most 60 KiB", () => {
    const sizes = ["console.js", "console.css"].map(
      (name) =>
        gzipSync(readFileSync(new URL(`packages/http/console/dist/${name}`, `file://${root}`)), { level: 9 }).length
    )
    assert.isBelow(sizes.reduce((sum, size) => sum + size) / 1024, 60)
  })
})

describe.skipIf(chromiumPath === undefined)(`the console in Chromium${skipped}`, () => {
  const scope = Scope.makeUnsafe()
  let browser: Browser
  let shop: Shop
  beforeAll(async () => {
    browser = await Effect.runPromise(Scope.provide(startBrowser(chromiumPath ?? ""), scope))
    shop = await openShop()
  }, patience)
  afterAll(async () => {
    await shop.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }, patience)

  it(
    "given a link with a key, behind a prefix that the server does not know, then each page shows and nothing comes from elsewhere",
    async () => {
      const { key } = await shop.keyWith("admin")
      const { complaints, context, page, requested } = await visit(browser, `${shop.base}/console#key=${key}`)
      await heading(page, "Overview").waitFor()
      assert.notInclude(page.url(), key)
      await page.locator(".side .stream.live").waitFor()
      for (const [id, name] of Object.entries(pages)) {
        await page.goto(`${shop.base}/console#/${id}`)
        await heading(page, name).waitFor()
        await page.locator(".skeleton").waitFor({ state: "detached" })
      }
      assert.strictEqual(await page.locator("main img, main script").count(), 0)
      assert.deepStrictEqual(complaints, [])
      assert.deepStrictEqual(
        requested.filter((url) => !url.startsWith(`${shop.base}/`) && !url.startsWith("data:")),
        []
      )
      await context.close()
    },
    patience
  )

  it(
    "given the session of an app, then its user is signed in without a key, and without one the page says what to do",
    async () => {
      const mounted = await openShop({
        mountPath: "/petstore",
        authenticate: ({ headers }: IncomingMessage) =>
          headers.cookie === "session=1" ? { actor: "user:7", scopes: ["pets:read", "stats:read"] } : undefined
      })
      const { context, page } = await visit(browser, `${mounted.base}/petstore/console`)
      await page.getByText("Sign in to the app first").waitFor()
      await context.addCookies([{ name: "session", value: "1", url: mounted.base }])
      await page.reload()
      await heading(page, "Overview").waitFor()
      await page.locator(".who-name", { hasText: "user:7" }).waitFor()
      await page.goto(`${mounted.base}/petstore/console#/orders`)
      await page.getByText("orders:read").waitFor()
      await context.close()
      await mounted.close()
    },
    patience
  )
})
