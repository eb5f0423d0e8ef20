import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Locator, Page } from "playwright-core"

const axeFile = fileURLToPath(new URL("../../../../tools/node_modules/axe-core/axe.min.js", import.meta.url))

/** The program that looks for barriers, if it is installed. */
export const axe: string | undefined = existsSync(axeFile) ? readFileSync(axeFile, "utf8") : undefined

/** A browser on a busy machine takes its time. */
export const patience = 300_000

/** Every page, by its heading. */
export const pages = {
  overview: "Overview",
  orders: "Orders",
  pets: "Pets and stock",
  categories: "Categories",
  events: "Events",
  webhooks: "Webhooks",
  messages: "Messages",
  consumers: "Consumers",
  keys: "Keys",
  health: "Health"
}

export const heading = (page: Page, name: string): Locator => page.locator("main h1", { hasText: name }).first()
export const drawer = (page: Page): Locator => page.locator(".drawer")
export const button = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true })
export const said = (page: Page, text: string): Promise<void> => page.locator(".toast", { hasText: text }).waitFor()

/** Shows another page, and waits until it has what it shows. */
export const goTo = async (page: Page, link: string): Promise<void> => {
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#/${link}`)
  const [path = ""] = link.split("?")
  const [id = "", detail] = path.split("/")
  await heading(page, Object.entries(pages).find(([name]) => name === id)?.[1] ?? "").waitFor()
  if (detail !== undefined) await drawer(page).locator("h2").waitFor()
  await page.locator(".skeleton").first().waitFor({ state: "detached" })
}

/** What axe finds on the page. */
export const findings = async (page: Page, script: string): Promise<ReadonlyArray<string>> => {
  await page.evaluate(script)
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
  return page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].target))`
  )
}

/** Whether nothing is wider than the window. */
export const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

/** Answers the question that is open. */
export const answer = (page: Page, yes: string): Promise<void> =>
  page.locator("dialog").getByRole("button", { name: yes, exact: true }).click()

/** Fills the fields of the form that is open, and sends it. */
export const fill = async (page: Page, values: Readonly<Record<string, string>>, yes: string): Promise<void> => {
  for (const [name, value] of Object.entries(values)) {
    const field = page.locator(`.form [name="${name}"]`)
    if ((await field.evaluate(({ tagName }) => tagName)) === "SELECT") await field.selectOption(value)
    else await field.fill(value)
  }
  await answer(page, yes)
}
