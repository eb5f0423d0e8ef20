import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { Page } from "playwright-core"
import { chromiumPath, skipped, startBrowser } from "../../../test/support/browser.ts"
import { operationDocs } from "../../openapi/operationDocs.ts"

const adminKey = "key-that-is-pasted-into-a-page"

/** A server behind a path that it does not see itself, as many are mounted. */
const mounted = (mountPath: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const petstore = await createPetstore()
        const category = await petstore.categories.create({ name: "Cats" })
        await petstore.pets.create({ name: "Tom", categoryId: category.id })
        const handler = createHandler(petstore, { mountPath, adminKey: Redacted.make(adminKey) })
        const server = createServer((request, response) => {
          if (!request.url?.startsWith(mountPath)) return void response.writeHead(404).end()
          request.url = request.url.slice(mountPath.length)
          handler.node(request, response)
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { petstore, server }
      }),
      ({ petstore, server }) =>
        Effect.promise(async () => {
          const closed = new Promise((resolve) => server.close(resolve))
          server.closeAllConnections()
          await closed
          await petstore.close()
        })
    ),
    ({ server }) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${mountPath}`
  )

interface Visit {
  readonly page: Page
  readonly base: string
  /** The addresses that the browser asked for. */
  readonly requested: ReadonlyArray<string>
  /** What the browser complained of. */
  readonly complaints: ReadonlyArray<string>
}

/** Opens the reference page of a server of its own. */
const visit = (executablePath: string, mountPath: string): Effect.Effect<Visit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const base = yield* mounted(mountPath)
    const browser = yield* startBrowser(executablePath)
    return yield* Effect.promise(async () => {
      const page = await browser.newPage({ viewport: { width: 1300, height } })
      page.setDefaultTimeout(90_000)
      const requested: Array<string> = []
      const complaints: Array<string> = []
      page.on("request", (request) => requested.push(request.url()))
      page.on("pageerror", (error) => complaints.push(error.message))
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text())
      })
      await page.goto(`${base}/docs`)
      await page.waitForSelector(".opblock")
      return { page, base, requested, complaints }
    })
  })

/** One that cannot be tried out, one that is deprecated, and another. */
const unfolded = ["operations-Store-listOrders", "operations-Pets-getPet", "operations-Store-placeOrder"]

/** Unfolds some operations, since all take half a minute, and names those that have no button to try them out. */
const withoutTryOut = async (page: Page): Promise<ReadonlyArray<string>> => {
  const blocks = page.locator(unfolded.map((id) => `#${id}`).join())
  for (const id of unfolded) await page.locator(`#${id} .opblock-summary-control`).click()
  for (const id of unfolded) await page.waitForSelector(`#${id} .responses-wrapper`)
  return blocks.evaluateAll((all) =>
    all.filter((block) => block.querySelector(".try-out__btn") === null).map(({ id }) => id)
  )
}

/** The width of the page, which is larger than the screen if something does not fit. */
const widthOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth)

/** Pastes the key as on the page, and names the type of the field, which hides it from those who look on. */
const authorize = async (page: Page): Promise<string | null> => {
  await page.locator(".scheme-container button.authorize").click()
  const field = page.locator(".dialog-ux input")
  await field.fill(adminKey)
  const type = await field.getAttribute("type")
  await page.locator(".dialog-ux button.authorize").click()
  await page.locator(".dialog-ux .btn-done").click()
  return type
}

/** Loads the page again, and returns the credentials that it sends then. */
const keyAfterReload = async (page: Page): Promise<string | undefined> => {
  const sent = page.waitForRequest((request) => request.url().endsWith("/v1/pets"))
  await page.reload()
  await page.waitForSelector(".opblock")
  await tryOut(page, "#operations-Pets-listPets")
  return (await sent).headers().authorization
}

/** Logs out with the button of the page, and returns what was stored before. */
const logOut = async (page: Page): Promise<string> => {
  const stored = await page.evaluate(() => JSON.stringify(localStorage))
  await page.locator(".scheme-container button.authorize").click()
  await page.locator(".dialog-ux button.btn.modal-btn.auth:not(.authorize):not(.btn-done)").click()
  await page.locator(".dialog-ux .btn-done").click()
  return stored
}

/** Tries an operation out with these values, and reads the status and the body that the page shows. */
const tryOut = async (page: Page, id: string, values: Readonly<Record<string, string>> = {}, body?: string) => {
  const block = page.locator(id)
  if ((await block.locator(".opblock-body").count()) === 0) await block.locator(".opblock-summary-control").click()
  await block.locator(".try-out__btn").click()
  for (const [name, value] of Object.entries(values)) {
    await block.locator(`tr[data-param-name="${name}"] input`).fill(value)
  }
  if (body !== undefined) await block.locator(".body-param__text").fill(body)
  await block.locator(".execute").click()
  const live = block.locator(".live-responses-table .response").first()
  const status = (await live.locator(".response-col_status").textContent()) ?? ""
  return { status: status.trim().slice(0, 3), text: await live.locator(".highlight-code").first().textContent() }
}

/** The operations that searches leave; without one, all are back. */
const searched = async (page: Page): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const search = page.getByRole("searchbox", { name: "Search operations" })
  const idsFor = async (phrase: string) => {
    await search.fill(phrase)
    return page.locator(".opblock").evaluateAll((blocks) => blocks.map(({ id }) => id))
  }
  const found = [
    await idsFor("Cancels  ORDER"),
    await idsFor("DELETE /pets"),
    await idsFor("placeOrder"),
    await idsFor("no such thing")
  ]
  assert.strictEqual((await idsFor("")).length, published)
  return found
}

/** How light the background and the texts are, from 0 to 255: in a light system, and in a dark one. */
const lightness = async (page: Page): Promise<ReadonlyArray<ReadonlyArray<number>>> => {
  const measured = () =>
    page.evaluate(() => {
      const lightnessOf = (colour: string) => Math.max(...(colour.match(/\d+/g) ?? []).slice(0, 3).map(Number))
      const texts = [...document.querySelectorAll(".title, td.header-col")]
      return [
        lightnessOf(getComputedStyle(document.body).backgroundColor),
        ...texts.map((text) => lightnessOf(getComputedStyle(text).color))
      ]
    })
  await page.emulateMedia({ colorScheme: "light" })
  const light = await measured()
  await page.emulateMedia({ colorScheme: "dark" })
  // The page hears of it later.
  await page.waitForSelector("html.dark-mode")
  await page.click(".opblock-summary-control")
  await page.waitForSelector(".header-col")
  const dark = await measured()
  await page.click(".opblock-summary-control")
  await page.waitForSelector(".opblock.is-open", { state: "detached" })
  return [light, dark]
}

/** The operations, and what the page marks them with. */
const marks = async (page: Page) => ({
  operations: await page.locator(".opblock").count(),
  withoutTryOut: await withoutTryOut(page),
  badges: await page.locator(".opblock").evaluateAll((blocks) =>
    Object.fromEntries(
      blocks.flatMap((block) => {
        const badges = [...block.querySelectorAll<HTMLElement>(".petstore-badge")].map(({ innerText }) => innerText)
        return badges.length === 0 ? [] : [[block.id.replace(/.*-/, ""), badges]]
      })
    )
  ),
  warnings: await page.locator(".petstore-warning").allInnerTexts(),
  deprecated: await page.locator(".opblock-deprecated").evaluateAll((blocks) => blocks.map(({ id }) => id))
})

/** The health endpoints are published too. */
const published = Object.keys(operationDocs).length + 2

/** How wide the screen of a small phone is, and how high all screens are, in CSS pixels. */
const phone = 360
const height = 1000

/** A browser on a busy machine takes its time. */
const patience = 120_000

describe.skipIf(chromiumPath === undefined)(
  `the reference page in Chromium, of a server under a path${skipped}`,
  () => {
    const scope = Scope.makeUnsafe()
    let visited: Visit
    // One visit for both: a page with all operations takes seconds to load.
    beforeAll(async () => {
      const opened = visit(chromiumPath ?? "", "/shop/petstore")
      visited = await Effect.runPromise(Scope.provide(opened, scope))
    }, patience)
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), patience)

    it(
      "given the operations, then their marks stand where they belong, a search finds them, and colours follow the system",
      async () => {
        const { page } = visited
        assert.deepStrictEqual(await searched(page), [
          ["operations-Store-cancelOrder"],
          ["operations-Pets-deletePet"],
          ["operations-Store-placeOrder", "operations-Store-placeOrders"],
          []
        ])
        const [[lightBackground = 0, darkText = 0] = [], [darkBackground = 255, ...lightTexts] = []] =
          await lightness(page)
        assert.isAbove(lightBackground, 200)
        assert.isBelow(darkText, 100)
        assert.isBelow(darkBackground, 60)
        assert.isAbove(lightTexts.length, 1)
        assert.isAbove(Math.min(...lightTexts), 180)
        assert.deepStrictEqual(await marks(page), {
          operations: published,
          withoutTryOut: ["operations-Store-listOrders"],
          badges: Object.fromEntries(
            Object.entries(operationDocs).flatMap(([id, { stability, tryOut }]) => {
              const badges = [
                ...(stability === "stable" ? [] : [stability === "beta" ? "Beta" : "Experimental"]),
                ...(tryOut === false ? ["No Try-Out"] : [])
              ]
              return badges.length === 0 ? [] : [[id, badges]]
            })
          ),
          warnings: ["This operation is deprecated. It ends on 2030-12-05 and responds with 410 from then on."],
          deprecated: ["operations-Pets-getPet"]
        })
      },
      patience
    )

    it(
      "given a phone, when it is tried out with a pasted key, then nothing comes from elsewhere, nothing is rejected, the key cannot be read and is kept until Logout, and everything fits",
      async () => {
        const { base, complaints, page, requested } = visited
        await page.setViewportSize({ width: phone, height })
        const before = await widthOf(page)
        const keyField = await authorize(page)
        const listed = await tryOut(page, "#operations-Pets-listPets")
        // No precondition that was made up stands in the way.
        const changed = await tryOut(page, "#operations-Pets-updatePet", { petId: "1" }, '{"name": "Thomas"}')
        assert.deepStrictEqual([before, await widthOf(page)], [phone, phone])
        assert.strictEqual(keyField, "password")
        assert.strictEqual(listed.status, "200")
        assert.include(listed.text ?? "", '"name": "Tom"')
        assert.strictEqual(changed.status, "200")
        assert.include(changed.text ?? "", '"name": "Thomas"')
        // Until Logout, the key is kept by the browser.
        assert.strictEqual(await keyAfterReload(page), `Bearer ${adminKey}`)
        assert.include(await logOut(page), adminKey)
        assert.notInclude(await page.evaluate(() => JSON.stringify(localStorage)), adminKey)
        assert.deepStrictEqual(complaints, [])
        assert.sameMembers(
          [...new Set(requested)],
          [
            `${base}/docs`,
            `${base}/docs/petstore.css`,
            `${base}/docs/petstore.js`,
            `${base}/docs/swagger-ui.css`,
            `${base}/docs/swagger-ui-bundle.js`,
            `${base}/openapi.json`,
            `${base}/v1/pets`,
            `${base}/v1/pets/1`
          ]
        )
      },
      patience
    )
  }
)
