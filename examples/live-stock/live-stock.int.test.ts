import { once } from "node:events"
import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chromiumPath, noChromium, startBrowser } from "../../packages/http/test/support/browser.ts"
import { openShop } from "./shop.ts"

const skipped = chromiumPath === undefined ? ` (skipped: ${noChromium})` : ""

/** The shop on a port of its own, with two pets. */
const runningShop = Effect.gen(function* () {
  const { api, app, petstore } = yield* Effect.promise(openShop)
  yield* Effect.promise(async () => {
    const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
    await petstore.pets.create({ name: "Tom", categoryId })
    await petstore.pets.create({ name: "Kit", categoryId, status: "sold" })
  })
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => createServer(app).listen(0, "127.0.0.1")),
    (running) =>
      Effect.promise(async () => {
        await api.close()
        running.closeAllConnections()
        await running[Symbol.asyncDispose]()
        await petstore.close()
      })
  )
  yield* Effect.promise(() => once(server, "listening"))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : assert.fail("It does not listen")
  return { petstore, url: `http://127.0.0.1:${port}` }
})

describe.skipIf(chromiumPath === undefined)(`the page of live stock in Chromium${skipped}`, () => {
  it.live("given a sale, then the page shows it without being loaded again", () =>
    Effect.gen(function* () {
      const { petstore, url } = yield* runningShop
      const browser = yield* startBrowser(chromiumPath ?? "")
      yield* Effect.promise(async () => {
        const page = await browser.newPage()
        page.setDefaultTimeout(120_000)
        await page.goto(url)
        await page.waitForSelector("body[data-live]")
        const shown = () => page.locator("li").allTextContents()
        assert.deepStrictEqual(await shown(), ["Tom: 1 for sale", "Kit: sold out"])
        await petstore.orders.place({ petId: 1 })
        await petstore.inventory.set(2, 7)
        await page.waitForSelector("li:has-text('Tom: sold out')")
        await page.waitForSelector("li:has-text('Kit: 7 for sale')")
        assert.lengthOf(await shown(), 2)
      })
    }).pipe(Effect.scoped)
  )

  it.live("given no session, then the API rejects the request, and a page of another site cannot send the cookie", () =>
    Effect.gen(function* () {
      const { url } = yield* runningShop
      const [bare, page] = yield* Effect.promise(() => Promise.all([fetch(`${url}/petstore/v1/pets`), fetch(url)]))
      assert.strictEqual(bare.status, 401)
      assert.match(page.headers.get("set-cookie") ?? "", /HttpOnly; SameSite=Lax/)
    }).pipe(Effect.scoped)
  )
})
