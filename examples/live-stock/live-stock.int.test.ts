import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { chromiumPath, launchBrowser, noChromium } from "../../packages/http/test/support/browser.ts"
import { bundle, openShop } from "./shop.ts"

const here = fileURLToPath(new URL(".", import.meta.url))
const missing = !existsSync(join(here, "node_modules/vue"))
  ? "examples/live-stock could not be installed"
  : chromiumPath === undefined
    ? noChromium
    : undefined
const skipped = missing === undefined ? "" : ` (skipped: ${missing})`

/** The packages as they are now, not as they were built last. */
const sources = ["@petstore/source"]

const until = async (isTrue: () => boolean | Promise<boolean>) => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The shop on a port of its own, with a pet whose name is markup. */
const startShop = async (scripts: ReadonlyMap<string, string>, reserveFor?: number) => {
  const { api, app, petstore } = await openShop(scripts, reserveFor)
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  const { id: petId } = await petstore.pets.create({ name: "<img src=x onerror=alert(1)>", categoryId })
  await petstore.inventory.set(petId, 5)
  let streams = 0
  let reads = 0
  const server = createServer((request, response) => {
    if (request.url?.includes("/events/stream") === true) streams++
    if (request.url?.includes("/events/latest") === true) reads++
    app(request, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    petstore,
    categoryId,
    petId,
    url: `http://127.0.0.1:${port}`,
    /** How many streams were opened so far. */
    streams: () => streams,
    /** How often a page began to read the stock. */
    reads: () => reads,
    /** Waits until so many streams are open. */
    following: (count: number) => until(async () => (await petstore.stats()).events.subscribers === count),
    breakConnections: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      await api.close()
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
      await petstore.close()
    }
  }
}

/** What a browser does when the tab is hidden and shown. */
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))
  }, hidden)

describe.skipIf(missing !== undefined)(`the pages of live stock in Chromium${skipped}`, () => {
  let browser: Browser
  let scripts: ReadonlyMap<string, string>
  beforeAll(async () => {
    browser = await launchBrowser()
    scripts = await bundle(sources)
  })
  afterAll(() => browser?.close())

  it("compile", () => {
    const tsc = join(here, "../../node_modules/typescript/bin/tsc")
    execFileSync(process.execPath, [tsc, "-p", here], { stdio: "pipe" })
  })

  for (const library of ["react", "preact", "vue"]) {
    const visit = async (url: string, prepare?: (page: Page) => Promise<unknown>) => {
      const page = await (await browser.newContext()).newPage()
      page.setDefaultTimeout(120_000)
      await prepare?.(page)
      await page.goto(`${url}/${library}`)
      await page.waitForSelector("li")
      return page
    }
    const stockOf = (page: Page, text: string) => page.waitForSelector(`li:has-text('${text}')`)
    const rows = (page: Page) => page.locator("li span").allTextContents()

    describe(`with ${library}`, () => {
      it("given changes by others, then the list shows them, and names with markup as text", async () => {
        await using shop = await startShop(scripts)
        const { categoryId, petId, petstore } = shop
        const page = await visit(shop.url)
        assert.deepStrictEqual(await rows(page), ["<img src=x onerror=alert(1)>: 5 for sale"])
        assert.strictEqual(await page.locator("img").count(), 0)
        await petstore.orders.place({ petId, quantity: 2, complete: true })
        await stockOf(page, "3 for sale")
        const kit = await petstore.pets.create({ name: "Kit", categoryId })
        await stockOf(page, "Kit: 1 for sale")
        await petstore.pets.update(petId, { name: "Tom" })
        await stockOf(page, "Tom: 3 for sale")
        await petstore.pets.delete(petId)
        await page.waitForFunction(() => document.querySelectorAll("li").length === 1)
        await petstore.orders.place({ petId: kit.id })
        await stockOf(page, "Kit: sold out")
        assert.isTrue(await page.getByRole("button", { name: "Reserve" }).isDisabled())
        assert.strictEqual(shop.streams(), 1)
      })

      for (const hours of [-3, 3]) {
        it(`given a clock that is ${hours} hours wrong, when a visitor reserves, then the time that is left is that of the server`, async () => {
          await using shop = await startShop(scripts, 900_000)
          const page = await visit(shop.url, ({ clock }) => clock.install({ time: Date.now() + hours * 3_600_000 }))
          await page.getByRole("button", { name: "Reserve" }).click()
          const left = page.getByRole("timer")
          await left.filter({ hasText: /^Reserved for 1[345]:\d\d$/ }).waitFor()
          await stockOf(page, "4 for sale")
          // Also for somebody who loads the page again.
          await page.reload()
          await left.filter({ hasText: /^Reserved for 1[345]:\d\d$/ }).waitFor()
          await page.clock.fastForward(600_000)
          await left.filter({ hasText: /^Reserved for [345]:\d\d$/ }).waitFor()
          await page.clock.fastForward(300_000)
          await left.filter({ hasText: "Your reservation has ended" }).waitFor()
        })
      }

      it("given a reservation, when it expires, then the countdown ends, and others can have the unit", async () => {
        await using shop = await startShop(scripts, 1_500)
        const page = await visit(shop.url)
        await page.getByRole("button", { name: "Reserve" }).click()
        await page.getByRole("timer").filter({ hasText: "Your reservation has ended" }).waitFor()
        await stockOf(page, "5 for sale")
        await page.reload()
        await stockOf(page, "5 for sale")
        assert.strictEqual(await page.getByRole("timer").count(), 0)
      })

      it("given a visitor who holds three, when they reserve more, then they read why not, and nothing is held", async () => {
        await using shop = await startShop(scripts)
        const page = await visit(shop.url)
        for (const left of [4, 3, 2]) {
          await page.getByRole("button", { name: "Reserve" }).click()
          await stockOf(page, `${left} for sale`)
        }
        await page.context().clearCookies()
        await page.getByRole("button", { name: "Reserve" }).click()
        await page.getByRole("alert").filter({ hasText: "You hold three already." }).waitFor()
        assert.strictEqual((await shop.petstore.inventory.get(shop.petId)).available, 2)
      })

      it("given a stream that breaks, then the page follows again, and has missed nothing", async () => {
        await using shop = await startShop(scripts)
        const page = await visit(shop.url)
        await shop.following(1)
        const before = shop.streams()
        shop.breakConnections()
        await shop.petstore.inventory.set(shop.petId, 7)
        await stockOf(page, "7 for sale")
        assert.isAbove(shop.streams(), before)
        await shop.petstore.inventory.set(shop.petId, 8)
        await stockOf(page, "8 for sale")
        await shop.following(1)
      })

      it("given a hidden tab, then it follows nothing, and shows what it missed when it is shown", async () => {
        await using shop = await startShop(scripts)
        const page = await visit(shop.url)
        await shop.following(1)
        await setHidden(page, true)
        await shop.following(0)
        await shop.petstore.inventory.set(shop.petId, 9)
        await setHidden(page, false)
        await stockOf(page, "9 for sale")
        await shop.following(1)
        assert.strictEqual(shop.reads(), 2)
      })

      it("given a list that is removed, then its stream is closed; and one list has one stream", async () => {
        await using shop = await startShop(scripts)
        const page = await visit(shop.url)
        for (let turn = 0; turn < 3; turn++) {
          await shop.following(1)
          await page.getByRole("button", { name: "Hide the stock" }).click()
          await shop.following(0)
          await page.getByRole("button", { name: "Show the stock" }).click()
          await page.waitForSelector("li")
        }
        await shop.following(1)
      })
    })
  }
})

describe("the API for visitors", () => {
  it("given a visitor, then they read pets and stock, change nothing, and read no orders", async () => {
    await using shop = await startShop(new Map())
    const send = (method: string, path: string) =>
      fetch(`${shop.url}/petstore/v1${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(method === "POST" ? { body: "{}" } : {})
      })
    const statuses = await Promise.all([
      send("GET", "/pets"),
      send("POST", "/pets"),
      send("POST", "/store/orders"),
      send("GET", "/store/orders"),
      send("GET", "/events?types=order.placed")
    ])
    assert.deepStrictEqual(
      statuses.map(({ status }) => status),
      [200, 403, 403, 403, 403]
    )
  })

  it("given a pet that was sold meanwhile, or none, when a visitor reserves it, then they read a sentence", async () => {
    await using shop = await startShop(new Map())
    await shop.petstore.inventory.set(shop.petId, 0)
    const headers = { "content-type": "application/json" }
    const reserve = async (petId: unknown) => {
      const request = { method: "POST", headers, body: JSON.stringify({ petId }) }
      const response = await fetch(`${shop.url}/reservation`, request)
      return [response.status, await response.text()]
    }
    assert.deepStrictEqual(await reserve(shop.petId), [409, "It has just been sold."])
    assert.deepStrictEqual(await reserve(99), [409, "This did not work. Please try again."])
    assert.deepStrictEqual(await reserve("<b>"), [400, "This did not work. Please try again."])
  })
})
