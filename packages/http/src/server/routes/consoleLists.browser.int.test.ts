import { assert, describe, it } from "@effect/vitest"
import type { Page } from "playwright-core"
import { chromiumPath, skipped } from "../../../test/support/browser.ts"
import { axe, button, drawer, findings, fits, goTo, heading, patience } from "../../../test/support/consoleSteps.ts"
import { consoleTests } from "../../../test/support/consoleTests.ts"
import { openShop } from "../../../test/support/consoleVisit.ts"

/** The texts of what a selector finds, once there are this many. */
const textsOf = async (page: Page, selector: string, count: number): Promise<ReadonlyArray<string>> => {
  await page.waitForFunction(([selected, wanted]) => document.querySelectorAll(selected).length === wanted, [
    selector,
    count
  ] as const)
  return page.locator(selector).allInnerTexts()
}

/** The rows that are shown, by their ids. */
const rows = (page: Page, count: number): Promise<ReadonlyArray<string>> => textsOf(page, "main .row-link", count)

/** A day from today on, as the address has it. */
const dayFromNow = (days: number): string => {
  const date = new Date()
  date.setDate(date.getDate() + days)
  const part = (number: number) => String(number).padStart(2, "0")
  return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`
}

describe.skipIf(chromiumPath === undefined)(`the lists of the console in Chromium${skipped}`, () => {
  const { signIn, signedIn, visits } = consoleTests(async ({ petstore: { inventory, pets, records } }) => {
    for (const name of ["Éclair Noir", "Tom Sawyer"]) {
      const { id } = await pets.create({ name, categoryId: 1 })
      await inventory.set(id, 10)
    }
    await records.update("pets", 4, { metadata: { shelf: "A 1" } })
    await inventory.set(3, 4)
  })

  it(
    "given a script that is late, then the page shows its name until it is there",
    async () => {
      const { browser, shop } = visits()
      const context = await browser.newContext()
      const page = await context.newPage()
      const late = Promise.withResolvers<void>()
      await page.route("**/console.js", (route) => late.promise.then(() => route.continue()))
      await page.goto(`${shop.base}/console`, { waitUntil: "commit" })
      await page.locator("#console", { hasText: "Petstore" }).waitFor()
      late.resolve()
      await page.getByLabel("API key").waitFor()
      assert.strictEqual(await page.locator(".starting").count(), 0)
      await context.close()
    },
    patience
  )

  signedIn(
    "given indexes, when somebody finds pets by words, metadata and day, then those that fit are shown, and the link keeps it",
    "read",
    async ({ page }) => {
      await goTo(page, "pets")
      const words = page.getByLabel("Words of the name")
      await words.fill("noir ECL")
      assert.deepStrictEqual(await rows(page, 1), ["4"])
      await words.fill("nobody")
      await page.getByText("No pet fits").waitFor()
      await page.getByLabel("Value of metadata").fill("shelf=A 1")
      assert.deepStrictEqual(await rows(page, 1), ["4"])
      assert.strictEqual(await words.inputValue(), "")
      await page.reload()
      assert.deepStrictEqual(await rows(page, 1), ["4"])
      await page.getByLabel("Created from").fill(dayFromNow(0))
      assert.deepStrictEqual(await rows(page, 5), ["5", "4", "3", "2", "1"])
      assert.strictEqual(await page.getByLabel("Value of metadata").inputValue(), "")
      await page.getByLabel("to", { exact: true }).fill(dayFromNow(-1))
      await page.getByText("No pet fits").waitFor()
      await page.getByLabel("Created from").fill("")
      await page.getByLabel("to", { exact: true }).fill(dayFromNow(0))
      assert.lengthOf(await rows(page, 5), 5)
      await page.getByRole("link", { name: "Sold", exact: true }).click()
      await page.getByText("No pet fits").waitFor()
      assert.include(page.url(), `to=${dayFromNow(0)}`)
      await goTo(page, "pets?metadata=colour%3Dred")
      await page.getByText("pets.metadata.colour").waitFor()
    }
  )

  signedIn(
    "given indexes, when somebody finds orders by day, state and metadata, then new ones appear only where they fit",
    "read",
    async ({ page, shop }) => {
      await page.locator(".side .stream.live").waitFor()
      await goTo(page, "orders?metadata=channel%3Dapp")
      assert.deepStrictEqual(await rows(page, 1), ["1"])
      await goTo(page, `orders?state=open&from=${dayFromNow(0)}`)
      assert.deepStrictEqual(await rows(page, 3), ["3", "2", "1"])
      await goTo(page, "orders?state=open")
      await rows(page, 3)
      const { id } = await shop.petstore.orders.place({ petId: 5, quantity: 1 })
      assert.deepStrictEqual(await rows(page, 4), [String(id), "3", "2", "1"])
      await shop.petstore.orders.cancel(id)
    }
  )

  for (const [theme, width] of [
    ["light", 320],
    ["dark", 1300]
  ] as const) {
    signedIn(
      `given ${theme} and ${width} px, when stock runs out, then the tab shows it as it changes, and axe finds nothing`,
      "read",
      async ({ page, shop }) => {
        await page.locator(".stream.live").first().waitFor({ state: "attached" })
        await goTo(page, "pets")
        await page.getByRole("link", { name: "Runs out" }).click()
        assert.deepStrictEqual(await rows(page, 1), ["3"])
        assert.strictEqual(await page.getByLabel("Words of the name").count(), 0)
        await page.locator("main td", { hasText: "4 of 4" }).waitFor()
        await shop.petstore.inventory.set(5, 2)
        assert.sameMembers([...(await rows(page, 2))], ["3", "5"])
        await page.locator(".row-link", { hasText: "3" }).click()
        await drawer(page).locator("h2", { hasText: "Luna" }).waitFor()
        assert.isTrue(await fits(page))
        if (axe !== undefined) assert.deepStrictEqual(await findings(page, axe), [])
        await shop.petstore.inventory.set(5, 10)
      },
      { theme, width }
    )
  }

  signedIn(
    "given pages of a long list that have no rows, then those after them are read too, up to a number of them",
    "read",
    async ({ page }) => {
      let asked = 0
      let empty = 5
      await page.route("**/v1/inventory?*", async (route) => {
        const response = await route.fetch()
        if (asked++ >= empty) return route.fulfill({ response })
        const link = '<https://example.com/?cursor=>; rel="next"'
        return route.fulfill({ status: 200, json: [], headers: { ...response.headers(), link } })
      })
      await goTo(page, "pets?status=low")
      assert.deepStrictEqual(await rows(page, 1), ["3"])
      assert.strictEqual(asked, 6)
      empty = 25
      asked = 0
      await goTo(page, "overview")
      await goTo(page, "pets?status=low")
      await page.getByText("None so far").waitFor()
      assert.strictEqual(asked, 20)
      await button(page, "Load more").click()
      assert.deepStrictEqual(await rows(page, 1), ["3"])
    }
  )

  signedIn(
    "given the keyboard alone, then somebody filters by words, by day and by tab, and opens what is found",
    "read",
    async ({ page, shop }) => {
      await page.keyboard.press("g")
      await page.keyboard.press("p")
      await heading(page, "Pets and stock").waitFor()
      await page.keyboard.press("/")
      // Events draw the page again while somebody types.
      const drawn = (async () => {
        for (let round = 0; round < 15; round++) {
          await shop.petstore.inventory.set(1, 100 + round)
          await page.waitForTimeout(50)
        }
      })()
      await page.keyboard.type("sawyer", { delay: 60 })
      assert.deepStrictEqual(await rows(page, 1), ["5"])
      await drawn
      await page.keyboard.press("Tab")
      assert.isTrue(await page.getByLabel("Created from").evaluate((input) => input === document.activeElement))
      const [year, month, day] = dayFromNow(1).split("-")
      await page.keyboard.type(`${month}${day}${year}`)
      await page.getByText("No pet fits").waitFor()
      assert.include(page.url(), `from=${dayFromNow(1)}`)
      for (const key of ["Backspace", "Backspace", "Backspace"]) {
        await page.keyboard.press(key)
        await page.keyboard.press("Shift+Tab")
      }
      await rows(page, 5)
      await page.locator(".tabs a", { hasText: "Runs out" }).focus()
      await page.keyboard.press("Enter")
      await rows(page, 1)
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await drawer(page).locator("h2", { hasText: "Luna" }).waitFor()
      await page.keyboard.press("Escape")
      await drawer(page).waitFor({ state: "detached" })
    }
  )

  signedIn(
    "given the index of subjects, then a pet, an order, a category and a webhook have their history, which grows",
    "read",
    async ({ page, requested, shop }) => {
      const { categories, orders, pets, webhooks } = shop.petstore
      const { id } = await webhooks.create({ url: "https://example.com/" })
      await webhooks.update(id, { enabled: false })
      await page.locator(".side .stream.live").waitFor()
      const history = (count: number) => textsOf(page, ".timeline li a", count)
      await goTo(page, "pets/2")
      await history(1)
      await pets.update(2, { name: "Thomas" })
      assert.deepStrictEqual(await history(2), ["updated", "created"])
      await goTo(page, "categories/1")
      await history(1)
      await categories.update(1, { name: "Felines" })
      assert.deepStrictEqual(await history(2), ["updated", "created"])
      await goTo(page, "orders/2")
      assert.deepStrictEqual(await history(1), ["placed"])
      await orders.update(2, { quantity: 3 })
      assert.deepStrictEqual(await history(2), ["updated", "placed"])
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#/webhooks/${id}`)
      assert.deepStrictEqual(await history(2), ["disabled", "created"])
      await page.locator(".timeline a").first().click()
      await drawer(page).locator("h2", { hasText: "webhook.disabled" }).waitFor()
      assert.isEmpty(await page.getByText("events.subject").all())
      assert.lengthOf(
        requested.filter((url) => url.includes("subject=pets%2F2")),
        1
      )
      await webhooks.delete(id)
    }
  )

  it(
    "given no indexes, then there are no filters for them, and the history comes from the log, and says how to switch on the index",
    async () => {
      const plain = await openShop({}, undefined, undefined, {})
      // More events of a pet than one page of the log, and than one search of it.
      for (let round = 0; round < 130; round++) await plain.petstore.pets.update(2, { name: `Tom ${round}` })
      for (let round = 0; round < 950; round++) await plain.petstore.pets.update(3, { name: `Luna ${round}` })
      const { context, page } = await signIn("read", {}, plain)
      await goTo(page, "pets/2")
      assert.lengthOf(await textsOf(page, ".timeline li a", 131), 131)
      await drawer(page).getByText("events.subject").waitFor()
      if (axe !== undefined) assert.deepStrictEqual(await findings(page, axe), [])
      assert.strictEqual(await page.getByLabel("Created from").count(), 0)
      assert.strictEqual(await page.getByLabel("Value of metadata").count(), 0)
      await page.getByLabel("Beginning of the name").waitFor()
      await goTo(page, `pets?from=${dayFromNow(0)}`)
      await page.getByText("pets.createdAt").waitFor()
      await context.close()
      await plain.close()
    },
    patience
  )

  signedIn(
    "given a link with a key that is opened in a tab with the console, or one that is broken, then the page goes on",
    "read",
    async ({ page, requested, shop }) => {
      const { key } = await shop.keyWith("storefront")
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#key=${key}`)
      await page.locator(".who-name", { hasText: "as storefront" }).waitFor()
      await heading(page, "Overview").waitFor()
      assert.notInclude(page.url(), key)
      for (const id of ["%", "1%2F..%2F2", "..%2F..%2Finventory%2F1", "%252e%252e"]) {
        await goTo(page, `pets/${id}`)
        await button(page, "Try again").waitFor()
      }
      assert.isEmpty(requested.filter((url) => /(?:inventory\/1|pets\/2|v1\/store\/?)$/.test(url)))
    }
  )
})
