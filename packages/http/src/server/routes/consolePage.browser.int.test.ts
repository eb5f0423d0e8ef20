import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import type { IncomingMessage } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import type { Preset } from "@petstore/core"
import { chromiumPath, skipped } from "../../../test/support/browser.ts"
import {
  answer,
  axe,
  button,
  drawer,
  fill,
  findings,
  fits,
  goTo,
  heading,
  pages,
  patience,
  said
} from "../../../test/support/consoleSteps.ts"
import { consoleTests } from "../../../test/support/consoleTests.ts"
import { markup, openShop, picture, trade, visit } from "../../../test/support/consoleVisit.ts"

const root = fileURLToPath(new URL("../../../../../", import.meta.url))
/** Lists by filters. */
const filtered = [
  "pets?status=low",
  "pets?name=tom",
  "pets?from=2026-01-01",
  "orders?metadata=channel%3Dapp",
  "events?subject=orders/1"
]

/** What opens beside them. */
const details = ["orders/1", "pets/1", "categories/1", "events/1", "consumers/invoices"]

/** The pages that show nothing to a key with a preset. */
const lockedFor: Readonly<Record<string, ReadonlyArray<keyof typeof pages>>> = {
  read: ["keys"],
  write: ["keys"],
  admin: [],
  storefront: ["events", "webhooks", "messages", "consumers", "keys", "health"],
  warehouse: ["events", "webhooks", "messages", "consumers", "keys", "health"],
  customer: ["webhooks", "messages", "consumers", "keys", "health"]
}

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
  const { signIn, signedIn, visits } = consoleTests()

  signedIn(
    "given a link with a key, behind a prefix that the server does not know, then each page shows and nothing comes from elsewhere",
    "admin",
    async ({ key, page, requested, shop }) => {
      assert.notInclude(page.url(), key)
      await page.locator(".side .stream.live").waitFor()
      for (const id of Object.keys(pages)) await goTo(page, id)
      assert.strictEqual(await page.locator("main img, main script").count(), 0)
      assert.deepStrictEqual(
        requested.filter((url) => !url.startsWith(`${shop.base}/`) && !url.startsWith("data:")),
        []
      )
    }
  )

  for (const [theme, width] of [
    ["light", 320],
    ["dark", 1300]
  ] as const) {
    it.skipIf(axe === undefined)(
      `given ${theme} and ${width} px, then axe finds nothing on any page, all fits, and stored text is no markup`,
      async () => {
        const { browser, shop } = visits()
        const { key } = await shop.keyWith("admin")
        const { complaints, context, page } = await visit(browser, `${shop.base}/console`, { theme, width })
        await page.getByLabel("API key").waitFor()
        const found: Record<string, ReadonlyArray<string>> = { "sign in": await findings(page, axe ?? "") }
        await page.getByLabel("API key").fill(key)
        await button(page, "Sign in").click()
        await heading(page, "Overview").waitFor()
        for (const link of [...Object.keys(pages), ...filtered, ...details]) {
          await goTo(page, link)
          found[link] = await findings(page, axe ?? "")
          assert.isTrue(await fits(page), `${link} is wider than ${width} px`)
          assert.strictEqual(await page.locator("#console img, #console script").count(), 0, link)
        }
        assert.deepStrictEqual(
          Object.entries(found).flatMap(([link, violations]) => violations.map((violation) => `${link}: ${violation}`)),
          []
        )
        await drawer(page).waitFor()
        await goTo(page, "pets/1")
        await drawer(page).locator("h2", { hasText: markup }).waitFor()
        await drawer(page).locator("pre", { hasText: markup }).waitFor()
        assert.deepStrictEqual(complaints, [])
        await context.close()
      },
      patience
    )
  }

  signedIn(
    "given a disabled webhook, then the overview says so at 320 px, with a link to what to do",
    "read",
    async ({ page, shop }) => {
      const { webhooks } = shop.petstore
      const { id } = await webhooks.create({ url: "https://example.com/" })
      await webhooks.update(id, { enabled: false })
      const link = page.getByRole("link", { name: `What to do: Webhook ${id} is disabled` })
      const runbook = "https://github.com/petstore-engine/petstore/blob/main/docs/runbook.md"
      assert.strictEqual(await link.getAttribute("href"), `${runbook}#petstorewebhookdisabled`)
      assert.isTrue(await fits(page))
      if (axe !== undefined) assert.deepStrictEqual(await findings(page, axe), [])
      await webhooks.delete(id)
    },
    { width: 320 }
  )

  it(
    "given the keyboard alone, then somebody signs in, walks along rows, opens and closes one, and goes elsewhere",
    async () => {
      const { browser, shop } = visits()
      const { key } = await shop.keyWith("read")
      const { context, page } = await visit(browser, `${shop.base}/console`)
      await page.getByLabel("API key").waitFor()
      await page.keyboard.type("psk_1_wrong")
      await page.keyboard.press("Enter")
      await page.getByText("This is not a valid API key.").waitFor()
      await page.keyboard.press("Control+a")
      await page.keyboard.type(key)
      await page.keyboard.press("Enter")
      await heading(page, "Overview").waitFor()
      await page.keyboard.press("g")
      await page.keyboard.press("p")
      await heading(page, "Pets and stock").waitFor()
      await page.locator(".row-link").first().waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await drawer(page).locator("h2", { hasText: "Tom" }).waitFor()
      await page.keyboard.press("Escape")
      await drawer(page).waitFor({ state: "detached" })
      await page.keyboard.press("Control+k")
      await page.getByLabel("Page or resource").waitFor()
      await page.keyboard.type("order 2")
      await page.keyboard.press("Enter")
      await drawer(page).locator("h2", { hasText: "Tom" }).waitFor()
      await page.keyboard.press("Escape")
      await page.keyboard.press("?")
      await page.locator("dialog .key-help").waitFor()
      await context.close()
    },
    patience
  )

  signedIn(
    "given a key for reading, then what it may not do stays visible, and names the scope that is missing",
    "read",
    async ({ id, page, shop }) => {
      await goTo(page, "orders/1")
      await button(page, "Complete").click({ force: true })
      await said(page, "orders:fulfil")
      await goTo(page, "keys")
      await page.locator("main").getByText("admin").first().waitFor()
      // The key is revoked meanwhile.
      await shop.petstore.apiKeys.revoke(id)
      await page.getByText("The key is no longer valid").waitFor()
      assert.strictEqual(await page.evaluate(() => sessionStorage.length), 0)
    }
  )

  for (const [preset, locked] of Object.entries(lockedFor)) {
    signedIn(
      `given a key with the preset ${preset}, then each page shows what its scopes allow, and those that show nothing are locked`,
      preset as Preset,
      async ({ page }) => {
        if (!locked.includes("events")) await page.locator(".side .stream.live").waitFor()
        for (const id of Object.keys(pages)) await goTo(page, id)
        const names = await page.locator(".side nav a.locked span").allInnerTexts()
        assert.sameMembers(
          names,
          locked.map((id) => pages[id])
        )
      }
    )
  }

  signedIn(
    "given forced colours, then states that colours tell are told by lines, and what colours count keeps them",
    "read",
    async ({ page }) => {
      const styleOf = (selector: string, property: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
      const dots = await Promise.all(
        ["order", "inventory", "pet"].map((family) => styleOf(`.legend .event-dot.${family}`, "background-color"))
      )
      assert.strictEqual(new Set(dots).size, 3)
      assert.notStrictEqual(await styleOf(".side a[aria-current]", "outline-style"), "none")
      await goTo(page, "pets/1")
      assert.notStrictEqual(await styleOf("tr.open", "outline-style"), "none")
      assert.notStrictEqual(
        await styleOf(".meter span", "background-color"),
        await styleOf(".card", "background-color")
      )
      const enabled = await styleOf(".drawer a.button", "color")
      assert.notStrictEqual(await styleOf('.drawer .button[aria-disabled="true"]', "color"), enabled)
      if (axe !== undefined) assert.deepStrictEqual(await findings(page, axe), [])
    },
    { forcedColors: "active", theme: "dark" }
  )

  signedIn(
    "given parked events, then somebody replays one, which stays if it fails again, drops another, and replays all",
    "admin",
    async ({ page, shop }) => {
      const { petstore } = shop
      const parked = async () => (await petstore.events.consumers.parked("invoices")).items.map(({ seq }) => seq)
      await goTo(page, "consumers")
      await page.locator(".row-link", { hasText: "invoices" }).click()
      const [first = 0, second = 0] = await parked()
      await drawer(page).getByText(`Out of paper ${markup}`).first().waitFor()
      await button(page, `Replay event ${first}`).click()
      await said(page, `invoices handles event ${first} once more`)
      await button(page, `Drop event ${second}`).click()
      await answer(page, "Drop the event")
      await said(page, `invoices never handles event ${second}`)
      assert.include(await parked(), first)
      assert.notInclude(await parked(), second)
      shop.mend()
      await button(page, "Replay all").click()
      await answer(page, "Replay all")
      await drawer(page).getByText("None: it has passed no event that failed.").waitFor()
      assert.deepStrictEqual(await parked(), [])
    }
  )

  signedIn(
    "given a stream that breaks, then the page says so, changes nothing that others changed, and goes on where it was",
    "admin",
    async ({ page, shop }) => {
      const order = await shop.petstore.orders.place({ petId: 3, quantity: 1 })
      await page.locator(".side .stream.live").waitFor()
      await goTo(page, `orders/${order.id}`)
      await button(page, "Cancel order").waitFor()
      shop.accept(false)
      await page.locator(".side .stream.connecting").waitFor()
      await shop.petstore.orders.update(order.id, { quantity: 2 })
      await button(page, "Cancel order").click()
      await answer(page, "Cancel the order")
      await said(page, "Someone else changed this")
      assert.strictEqual((await shop.petstore.orders.get(order.id)).quantity, 2)
      const missed = await shop.petstore.orders.place({ petId: 3, quantity: 1 })
      shop.accept(true)
      await page.locator(".side .stream.live").waitFor()
      await page.locator(".row-link", { hasText: String(missed.id) }).waitFor()
    }
  )

  signedIn(
    "given a page that is hidden, then it asks for nothing, and shows what it missed when it is seen again",
    "admin",
    async ({ page, requested, shop }) => {
      const hide = (isHidden: boolean) =>
        page.evaluate((hidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, value: hidden })
          document.dispatchEvent(new Event("visibilitychange"))
        }, isHidden)
      await page.locator(".side .stream.live").waitFor()
      await goTo(page, "categories")
      const { name } = await shop.petstore.categories.get(1)
      await hide(true)
      // It is to be read again, but not while it is hidden.
      await shop.petstore.categories.update(1, { name: "Guppies" })
      await page.locator(".side .stream.asleep").waitFor()
      const before = requested.length
      await page.waitForTimeout(3_000)
      assert.lengthOf(requested, before)
      await hide(false)
      await page.getByText("Guppies").waitFor()
      await page.locator(".side .stream.live").waitFor()
      await shop.petstore.categories.update(1, { name })
    }
  )

  it(
    "given the session of an app, then its user is signed in without a key, and without one the page says what to do",
    async () => {
      const mounted = await openShop({
        mountPath: "/petstore",
        authenticate: ({ headers }: IncomingMessage) =>
          headers.cookie === "session=1" ? { actor: "user:7", scopes: ["pets:read", "stats:read"] } : undefined
      })
      const { context, page } = await visit(visits().browser, `${mounted.base}/petstore/console`)
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

  signedIn(
    "given somebody who may do everything, when they act on orders, stock, pets and categories, then it is done once",
    "admin",
    async ({ page, shop }) => {
      const { petstore } = shop
      const changes: Array<{ readonly call: string; readonly safe: boolean }> = []
      page.on("request", (request) => {
        if (request.method() === "GET") return
        const headers = request.headers()
        const path = request.url().slice(shop.base.length)
        changes.push({ call: `${request.method()} ${path}`, safe: headers["idempotency-key"] !== undefined })
      })
      const before = await petstore.orders.reservation(1)
      await goTo(page, "orders/1")
      await button(page, "Hold 15 min longer").click()
      await said(page, "15 minutes longer")
      assert.isAbove(
        Date.parse((await petstore.orders.reservation(1)).expiresAt) - Date.parse(before.expiresAt),
        800_000
      )
      await button(page, "Complete").click()
      await answer(page, "Complete it")
      await said(page, "Order 1 is complete")
      await goTo(page, "orders/2")
      await button(page, "Cancel order").click()
      await answer(page, "Cancel the order")
      await said(page, "Order 2 is cancelled")

      await goTo(page, "pets/2")
      await page.getByLabel("Change by").fill("7")
      await page.getByLabel("Note").fill(markup)
      await button(page, "Change").dblclick()
      await said(page, "Stock changed by +7")
      assert.strictEqual((await petstore.inventory.get(2)).quantity, 17)
      await button(page, "Undo").click()
      await said(page, "Stock changed by -7")
      assert.strictEqual((await petstore.inventory.get(2)).quantity, 10)
      await button(page, "Edit").click()
      await fill(page, { name: "Thomas" }, "Save the pet")
      await said(page, "The pet is saved")
      assert.strictEqual((await petstore.pets.get(2)).name, "Thomas")
      await button(page, "Edit the record").click()
      await fill(page, { externalId: "SKU-2", metadata: "{" }, "Save the record")
      await page.locator("dialog [role=alert]").waitFor()
      await fill(page, { metadata: '{"shelf": "A"}' }, "Save the record")
      await said(page, "The record is saved")
      const { externalId, metadata } = await petstore.records.get("pets", 2)
      assert.deepStrictEqual([externalId, metadata], ["SKU-2", { shelf: "A" }])

      await goTo(page, "categories")
      await button(page, "Create a category").click()
      await fill(page, { name: `Cats ${markup}` }, "Create the category")
      await page.locator("dialog [role=alert]").waitFor()
      await fill(page, { name: "Dogs" }, "Create the category")
      await said(page, "The category is created")
      await goTo(page, "categories/2")
      await button(page, "Delete category").click()
      await answer(page, "Delete the category")
      await said(page, "Category 2 is deleted")
      assert.lengthOf((await petstore.categories.list()).items, 1)
      assert.lengthOf(
        changes.filter(({ call }) => call.endsWith("/2/adjustments")),
        2
      )
      assert.deepStrictEqual(
        changes.filter(({ safe }) => !safe),
        []
      )
    }
  )

  signedIn(
    "given somebody who may do everything, when they act on webhooks, messages and keys, then secrets are shown once",
    "admin",
    async ({ page, shop }) => {
      const { petstore } = shop
      const shown = async () => {
        const text = await page.locator("dialog .secret code").innerText()
        await button(page, "I have stored it").click()
        return text
      }
      await goTo(page, "webhooks")
      await button(page, "Create a webhook").click()
      await fill(page, { url: `${shop.base}/health/live?token=1`, types: "pet.created" }, "Create the webhook")
      assert.match(await shown(), /^whsec_/)
      await heading(page, "?…").waitFor()
      await button(page, "Send a test").click()
      await said(page, "The test did not arrive")
      await button(page, "Change").click()
      await fill(page, { types: "pet.created\norder.placed", description: markup }, "Save the webhook")
      await said(page, "The webhook is saved")
      const id = (await petstore.webhooks.list()).items.at(-1)?.id ?? 0
      assert.deepStrictEqual((await petstore.webhooks.get(id)).types, ["pet.created", "order.placed"])
      await button(page, "Disable").click()
      await said(page, `Webhook ${id} is disabled`)
      await button(page, "Undo").click()
      await said(page, `Webhook ${id} is enabled`)
      assert.isTrue((await petstore.webhooks.get(id)).enabled)
      await petstore.pets.create({ name: markup, categoryId: 1 })
      await page.locator(".row-link").first().click()
      await drawer(page).locator("h2", { hasText: "pet.created" }).waitFor()
      await drawer(page).locator("pre", { hasText: markup }).waitFor()
      if (axe !== undefined) assert.deepStrictEqual(await findings(page, axe), [])
      await button(page, "Try now").click()
      await said(page, "It is sent again at once")
      await page.keyboard.press("Escape")
      // More than a page of the API.
      const more = Array.from({ length: 120 }, (_, at) => ({ name: `Cat ${at}`, categoryId: 1 }))
      for (const pets of [more.slice(0, 60), more.slice(60)]) await petstore.pets.createAll(pets)
      while ((await petstore.webhooks.deliveries(id, { limit: 100 })).next === undefined) await page.waitForTimeout(20)
      let again = 0
      page.on("request", (request) => {
        if (request.url().endsWith("/redeliver")) again++
      })
      await button(page, "Try all now").click()
      await answer(page, "Try all now")
      await page.getByText("so far").waitFor()
      await said(page, "are sent at once")
      assert.isAtLeast(again, 121)
      await button(page, "Rotate secret").click()
      await answer(page, "Rotate the secret")
      assert.match(await shown(), /^whsec_/)
      await button(page, "Delete").click()
      await answer(page, "Delete the webhook")
      await heading(page, "Webhooks").waitFor()
      assert.lengthOf((await petstore.webhooks.list()).items, 0)

      const [message] = (await petstore.messages.list()).items
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#/messages/${message?.id}`)
      await drawer(page).locator("pre", { hasText: markup }).waitFor()
      await button(page, "Try now").click()
      await said(page, "It is tried again")

      await goTo(page, "keys")
      await button(page, "Create an account").click()
      await fill(page, { name: "Vets" }, "Create the account")
      await said(page, "The account is created")
      await button(page, "Create a key").click()
      await fill(page, { name: "till", preset: "warehouse", days: "1" }, "Create the key")
      assert.match(await shown(), /^psk_/)
      await button(page, "Rotate till").click()
      await answer(page, "Rotate the key")
      assert.match(await shown(), /^psk_/)
      await button(page, "Create a key").click()
      await fill(page, { name: "own", preset: "", scopes: "pets:read\nno:such" }, "Create the key")
      await page.locator("dialog [role=alert]").waitFor()
      await fill(page, { scopes: "pets:read\ninventory:read" }, "Create the key")
      await shown()
      const made = (await petstore.apiKeys.list({ limit: 100 })).items.find(({ name }) => name === "own")
      assert.sameMembers([...(made?.scopes ?? [])], ["pets:read", "inventory:read"])
      // What others do arrives by the stream.
      const { id: other } = await petstore.apiKeys.create({ accountId: 1, name: "robot", preset: "read" })
      await button(page, "Revoke robot").waitFor()
      await petstore.apiKeys.revoke(other)
      await button(page, "Revoke robot").waitFor({ state: "detached" })
      await button(page, "Revoke till").click()
      await answer(page, "Revoke the key")
      await said(page, "Key till is revoked")
      assert.isUndefined((await petstore.apiKeys.list({ limit: 100 })).items.find(({ name }) => name === "till"))
    }
  )

  // PICTURES=docs/pictures npx vitest run packages/http/src/server/routes/consolePage.browser.int.test.ts -t pictures
  const pictures = process.env.PICTURES
  it.skipIf(pictures === undefined)(
    "given a shop that trades, then the pictures of the guide are taken",
    async () => {
      const traded = await openShop({}, "Simba")
      await trade(traded.petstore)
      const take = async (name: string, link: string, theme: "dark" | "light", width: number) => {
        const visited = await signIn("admin", { theme, width }, traded)
        await visited.page.locator(".side .stream.live").waitFor()
        await goTo(visited.page, link)
        // Rates need two readings.
        if (link === "overview") await visited.page.locator(".tile strong small").nth(1).waitFor()
        await writeFile(join(root, pictures ?? "", `${name}.webp`), await picture(visited))
        await visited.context.close()
      }
      await take("console-overview", "overview", "light", 1200)
      const { id } = await traded.petstore.records.getByExternalId("orders", "web-100421")
      await take("console-order", `orders/${id}`, "dark", 1200)
      await take("console-pets", "pets/9", "light", 1200)
      await traded.close()
    },
    patience
  )
})
