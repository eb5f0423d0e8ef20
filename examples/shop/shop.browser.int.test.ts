import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { chromiumPath, skipped, startBrowser } from "../../packages/http/test/support/browser.ts"
import { register } from "./customers.ts"
import { openDatabase } from "./database.ts"
import { bundle, createShop } from "./shop.ts"
import { openWarehouse } from "./warehouse.ts"

/** A server on a port of its own, and its URL. */
const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener).listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await server[Symbol.asyncDispose]()
      })
  ).pipe(Effect.map(({ url }) => url))

/** The shop in a file, with three rabbits to sell, and its warehouse. */
const runningShop = Effect.gen(function* () {
  const key = randomBytes(32).toString("base64")
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "petstore-shop-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true }))
  )
  const database = yield* Effect.acquireRelease(
    Effect.promise(() => openDatabase(join(folder, "shop.db"), key)),
    ({ close }) => Effect.promise(close)
  )
  const { petstore } = database
  const warehouse = openWarehouse()
  const warehouseUrl = yield* listening(warehouse.app)
  // The packages as they are now, not as they were built last.
  const script = yield* Effect.promise(() => bundle(["@petstore/source"]))
  const { app, api } = createShop(database, key, script)
  const url = yield* listening(app)
  yield* Effect.addFinalizer(() => Effect.promise(api.close))
  yield* Effect.promise(async () => {
    const { id: categoryId } = await petstore.categories.create({ name: "Rabbits" })
    const flopsy = await petstore.pets.create({ name: "<b>Flopsy</b>", categoryId })
    await petstore.inventory.set(flopsy.id, 3)
    const webhook = await petstore.webhooks.create({ url: `${warehouseUrl}/webhooks`, types: ["order.completed"] })
    warehouse.trust(webhook.secret)
    await register(database, "Staff", "secret", true)
  })
  return { petstore, url, warehouseUrl }
})

const signIn = async (page: Page, url: string, name: string, how: "Register" | "Sign in") => {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel("Name").fill(name)
  await page.getByLabel("Password").fill("secret")
  await page.getByRole("button", { name: how }).click()
  await page.getByRole("button", { name: "Sign out" }).waitFor()
}

/** Puts rabbits into the cart, and orders them. */
const order = async (page: Page, quantity: number) => {
  await page.getByLabel("Quantity").fill(String(quantity))
  await page.getByRole("button", { name: "Put into the cart" }).click()
  await page.getByRole("button", { name: "Order" }).click()
}

const until = async (isTrue: () => Promise<boolean>) => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50))
}

describe.skipIf(chromiumPath === undefined)(`the shop in Chromium${skipped}`, () => {
  it.live("given customers, when they order, pay and wait too long, then all pages and the warehouse show it", () =>
    Effect.gen(function* () {
      const { petstore, url, warehouseUrl } = yield* runningShop
      const browser = yield* startBrowser(chromiumPath ?? "")
      yield* Effect.promise(async () => {
        const newPage = async () => {
          const page = await (await browser.newContext()).newPage()
          page.setDefaultTimeout(120_000)
          return page
        }
        const [visitor, ada, bob, staff] = [await newPage(), await newPage(), await newPage(), await newPage()]
        // The countdown is that of the server, whatever the clock of the customer says.
        await ada.clock.install({ time: Date.now() + 3 * 60 * 60 * 1000 })
        await visitor.goto(url)
        const names = await visitor.locator("td").first().textContent()
        assert.strictEqual(names, "<b>Flopsy</b>")

        await signIn(ada, url, "Ada", "Register")
        await order(ada, 2)
        await ada.waitForSelector("time:text-matches('^1[0-5]:[0-5][0-9]$')")
        await visitor.waitForSelector("[data-stock]:text-is('1')")

        await signIn(bob, url, "Bob", "Register")
        await order(bob, 2)
        assert.strictEqual(await bob.locator("p").textContent(), "Only 1 left of <b>Flopsy</b>. Change your cart.")
        await bob.goto(`${url}/orders`)
        assert.strictEqual(await bob.locator("[data-order]").count(), 0)
        await bob.goto(`${url}/admin`)
        assert.strictEqual(bob.url(), `${url}/sign-in`)

        await ada.getByRole("button", { name: "Pay" }).click()
        await ada.waitForSelector("[data-order]:text-is('Paid, on its way')")
        const parcels = async (): Promise<unknown> => (await fetch(warehouseUrl)).json()
        await until(async () => JSON.stringify(await parcels()) !== "[]")
        assert.deepStrictEqual(await parcels(), ["order 1: 2 of pet 1"])
        await until(async () => (await petstore.stats()).webhooks.endpoints[0]?.pending === 0)

        await bob.goto(`${url}/cart`)
        await bob.getByLabel("Quantity").fill("1")
        const changed = bob.waitForEvent("load")
        await bob.getByRole("button", { name: "Change" }).click()
        await changed
        await bob.getByRole("button", { name: "Order" }).click()
        await bob.waitForSelector("[data-order] time")
        await visitor.waitForSelector("[data-stock]:text-is('0')")

        await signIn(staff, url, "Staff", "Sign in")
        await staff.goto(`${url}/admin`)
        const counts = await staff.locator("li").allTextContents()
        assert.includeMembers(counts, [
          "Customers: 3",
          "Open orders: 1",
          "Paid orders: 1",
          "Webhook 1: 0 pending, 0 failed"
        ])
        await staff.getByRole("button", { name: "Received" }).click()
        await visitor.waitForSelector("[data-stock]:text-is('1')")

        // The 15 minutes of Bob end now.
        const [open] = (await petstore.orders.list({ state: "open" })).items
        await petstore.orders.setReservation(open?.id ?? 0, { reserveFor: 1 })
        await bob.waitForSelector("[data-order]:text-is('Expired: it was not paid in time')")
        await visitor.waitForSelector("[data-stock]:text-is('2')")
      })
    }).pipe(Effect.scoped)
  )
})

describe("the shop", () => {
  it.live("given no session, then the stream of events has the stock alone, and nothing else of the API is there", () =>
    Effect.gen(function* () {
      const { petstore, url } = yield* runningShop
      yield* Effect.promise(async () => {
        await petstore.orders.place({ petId: 1 })
        const stream = await fetch(`${url}/petstore/v1/events/stream?after=0`)
        let received = ""
        for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          received += chunk
          if (received.includes('"reserved":1')) break
        }
        assert.deepStrictEqual([...new Set(received.match(/(?<=event: )\S+/g))], ["inventory.updated"])
        for (const path of ["/petstore/v1/pets", "/petstore/v1/store/orders", "/petstore/openapi.json"]) {
          assert.strictEqual((await fetch(url + path)).status, 404)
        }
        const redirect = await fetch(`${url}/orders`, { redirect: "manual" })
        assert.strictEqual(redirect.headers.get("location"), "/sign-in")
      })
    }).pipe(Effect.scoped)
  )
})
