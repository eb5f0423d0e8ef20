import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { createPetstore, type Petstore } from "@petstore/core"
import { createHandler, type HandlerOptions } from "@petstore/http"
import { webhookSender } from "@petstore/http/webhooks"
import type { Browser, BrowserContext, Page } from "playwright-core"

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
  readonly keyWith: (preset: "admin" | "customer" | "read" | "warehouse") => Promise<{ id: number; key: string }>
  readonly close: () => Promise<void>
}

/** A shop with markup in every text, behind a proxy that strips a prefix. */
export const openShop = async (options: HandlerOptions = {}): Promise<Shop> => {
  const petstore = await createPetstore({
    reservations: { expireAfter: "1 hour" },
    webhooks: webhookSender({ allowAddresses: ["127.0.0.0/8"] })
  })
  const category = await petstore.categories.create({ name: `Cats ${markup}`, description: markup })
  for (const name of [markup, "Tom", "Luna"]) {
    const pet = await petstore.pets.create({ name, categoryId: category.id })
    await petstore.inventory.set(pet.id, 10)
  }
  await petstore.records.update("pets", 1, { externalId: "SKU-1", metadata: { note: markup } })
  for (const petId of [1, 2, 2]) await petstore.orders.place({ petId, quantity: 2 })
  await petstore.records.update("orders", 1, { externalId: "web-1", metadata: { customer: markup } })
  await petstore.messages.enqueue(markup)
  const account = await petstore.accounts.create({ name: `Shop ${markup}` })
  await petstore.apiKeys.create({ accountId: account.id, name: markup, preset: "admin" })

  const handler = createHandler(petstore, { console: true, ...options })
  const streams = new Set<IncomingMessage["socket"]>()
  let accepts = true
  const server = createServer((request, response) => {
    if (request.url?.startsWith(prefix) !== true) return void response.writeHead(404).end()
    request.url = request.url.slice(prefix.length)
    if (request.url.includes("/events/stream")) {
      if (!accepts) return void request.socket.destroy()
      streams.add(request.socket)
    }
    handler.node(request, response)
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
    keyWith: (preset) => petstore.apiKeys.create({ accountId: account.id, name: `as ${preset}`, preset }),
    close: async () => {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await petstore.close()
    }
  }
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** The addresses that the browser asked for. */
  readonly requested: Array<string>
  /** What the browser complained of. */
  readonly complaints: Array<string>
}

/** Opens the console in a window of its own, which has no session of others. */
export const visit = async (
  browser: Browser,
  address: string,
  { theme = "light", width = 1300 }: { theme?: "dark" | "light"; width?: number } = {}
): Promise<Visit> => {
  const viewport = { width, height: 900 }
  const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: "reduce" })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
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
