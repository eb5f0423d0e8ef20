import { execFileSync } from "node:child_process"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { createPetstore, type Petstore, type PetstoreOptions, type Preset } from "@petstore/core"
import { createHandler, type HandlerOptions, type PetstoreHandler } from "@petstore/http"
import { webhookSender } from "@petstore/http/webhooks"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { launchBrowser } from "./browser.ts"

// As it is now, not as it was when it was last built.
execFileSync(process.execPath, ["scripts/bundleConsole.js"], {
  cwd: fileURLToPath(new URL("../../../../", import.meta.url))
})

/** Text of customers that would run in a page that took it for markup. */
export const markup = "<img src=x onerror=alert(1)>"

/** Below this the proxy serves the petstore, which is not told. */
const prefix = "/unknown/prefix"

export interface Shop {
  readonly petstore: Petstore
  /** Of the server, below the prefix. */
  readonly base: string
  /** How many requests of streams the proxy accepts; it closes those that are open when it gets 0. */
  readonly accept: (streams: boolean) => void
  readonly keyWith: (preset: Preset) => Promise<{ id: number; key: string }>
  /** Lets the consumer `invoices` handle what it failed with before. */
  readonly mend: () => void
  readonly close: () => Promise<void>
}

/** Mounts a handler in the server of an app. */
export type Mount = (handler: PetstoreHandler) => RequestListener | Promise<RequestListener>

type Finding = Pick<PetstoreOptions, "indexes" | "search">

/** What lists are found by. */
const finds = {
  search: "words",
  indexes: ["events.subject", "orders.createdAt", "orders.metadata.channel", "pets.createdAt", "pets.metadata.shelf"]
} as const satisfies Finding

/** A shop with markup in every text, behind a proxy that strips a prefix. */
export const openShop = async (
  options: HandlerOptions = {},
  text = markup,
  mount: Mount = ({ node }) => node,
  finding: Finding = finds
): Promise<Shop> => {
  const petstore = await createPetstore({
    ...finding,
    reservations: { expireAfter: "1 hour" },
    webhooks: webhookSender({ allowAddresses: ["127.0.0.0/8"] })
  })
  const category = await petstore.categories.create({ name: `Cats ${text}`, description: text })
  for (const name of [text, "Tom", "Luna"]) {
    const pet = await petstore.pets.create({ name, categoryId: category.id })
    await petstore.inventory.set(pet.id, 10)
  }
  await petstore.records.update("pets", 1, { externalId: "SKU-1", metadata: { note: text } })
  for (const petId of [1, 2, 2]) await petstore.orders.place({ petId, quantity: 2 })
  await petstore.records.update("orders", 1, { externalId: "web-1", metadata: { customer: text, channel: "app" } })
  await petstore.messages.enqueue(text)
  let isBroken = true
  await petstore.events.consume(
    "invoices",
    () => {
      if (isBroken) throw new Error(`Out of paper ${text}`)
    },
    { after: 0, types: ["category.created", "pet.created"], parkAfter: 1, onError: () => {} }
  )
  const account = await petstore.accounts.create({ name: `Shop ${text}` })
  await petstore.apiKeys.create({ accountId: account.id, name: text, preset: "admin" })

  const handler = createHandler(petstore, { console: true, ...options })
  const listener = await mount(handler)
  const streams = new Set<IncomingMessage["socket"]>()
  let accepts = true
  const server = createServer((request, response) => {
    if (request.url?.startsWith(prefix) !== true) return void response.writeHead(404).end()
    request.url = request.url.slice(prefix.length)
    if (request.url.includes("/events/stream")) {
      if (!accepts) return void request.socket.destroy()
      streams.add(request.socket)
    }
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    petstore,
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    accept: (now) => {
      accepts = now
      if (!now) for (const socket of streams) socket.destroy()
      streams.clear()
    },
    mend: () => {
      isBroken = false
    },
    keyWith: (preset) => petstore.apiKeys.create({ accountId: account.id, name: `as ${preset}`, preset }),
    close: async () => {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await petstore.close()
    }
  }
}

/** A shop, and a browser for visits. */
export const startVisits = async () => {
  const browser = await launchBrowser()
  const shop = await openShop()
  const close = async (): Promise<void> => {
    await shop.close()
    await browser.close()
  }
  return { browser, shop, close }
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** The addresses that the browser asked for. */
  readonly requested: Array<string>
  /** What the browser complained of. */
  readonly complaints: Array<string>
}

export interface VisitOptions {
  readonly cookies?: ReadonlyArray<{ readonly name: string; readonly value: string; readonly url: string }>
  readonly forcedColors?: "active" | "none"
  readonly theme?: "dark" | "light"
  readonly width?: number
}

/** Opens the console in a window of its own, which has no session of others. */
export const visit = async (
  browser: Browser,
  address: string,
  { cookies = [], forcedColors = "none", theme = "light", width = 1300 }: VisitOptions = {}
): Promise<Visit> => {
  const viewport = { width, height: 900 }
  const context = await browser.newContext({ viewport, colorScheme: theme, forcedColors, reducedMotion: "reduce" })
  await context.addCookies([...cookies])
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const requested: Array<string> = []
  const complaints: Array<string> = []
  page.on("request", (request) => requested.push(request.url()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    // Chromium reports each response of 4xx.
    if (["error", "warning"].includes(message.type()) && !/Failed to load resource/.test(message.text())) {
      complaints.push(message.text())
    }
  })
  await page.goto(address)
  return { page, context, requested, complaints }
}

const names = [
  "Tom",
  "Rex",
  "Luna",
  "Milo",
  "Bella",
  "Nala",
  "Oscar",
  "Coco",
  "Ruby",
  "Felix",
  "Daisy",
  "Pepper",
  "Otto"
]

/** Some weeks of a shop in a few seconds, for pictures. */
export const trade = async ({
  accounts,
  apiKeys,
  categories,
  inventory,
  messages,
  orders,
  pets,
  records,
  webhooks
}: Petstore) => {
  for (const name of ["Dogs", "Rabbits", "Birds"]) await categories.create({ name })
  for (const [at, name] of names.entries()) {
    const { id } = await pets.create({ name, categoryId: 2 + (at % 3) })
    await inventory.set(id, 4 + ((at * 7) % 30))
  }
  await webhooks.create({ url: "http://127.0.0.1:65535/accounting", types: ["order.completed"] })
  for (const text of ["Receipt for order 41", "Weekly report 48"]) await messages.enqueue(text)
  for (let turn = 0; turn < 60; turn++) {
    const { id } = await orders.place({ petId: 4 + ((turn * 5) % names.length), quantity: 1 })
    if (turn % 3 === 0) await orders.complete(id)
    if (turn % 7 === 0)
      await inventory.adjust(4 + (turn % names.length), { delta: 2, reason: "received", note: "Delivery 4711" })
    if (turn === 58) {
      await records.update("orders", id, { externalId: "web-100421", metadata: { channel: "app", customer: "ada" } })
    }
  }
  const account = await accounts.create({ name: "Web shop" })
  await apiKeys.create({ accountId: account.id, name: "checkout", preset: "storefront" })
}

/** Takes a picture of what a window shows, as a small file. */
export const picture = async ({ context, page }: Visit): Promise<Buffer> => {
  const session = await context.newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 })
  return Buffer.from(data, "base64")
}
