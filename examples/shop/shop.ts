import { fileURLToPath } from "node:url"
import { InsufficientStock, NotFound, type Page, PetstoreError } from "@petstore/core"
import { createHandler, type HostPrincipal } from "@petstore/http"
import { build } from "esbuild"
import express, { type ErrorRequestHandler, type Request } from "express"
import { checkout, currentCart, linesOf, setLine } from "./carts.ts"
import { type Customer, customerOf, register, sessionLength, sessionOf, signIn, userOf } from "./customers.ts"
import type { Database } from "./database.ts"
import { cartTable, countList, html, orderTable, page, petTable, signInForm, stockTable, type Visit } from "./pages.ts"

/** What a page follows: the stock, and the orders of the customer. */
const principalOf = (customer: Customer | undefined, address = ""): HostPrincipal =>
  customer === undefined
    ? // An actor for each visitor, and one account for all of them, which cannot take the streams of customers.
      { actor: `visitor:${address}`, accountId: 1, scopes: ["events:inventory"] }
    : { actor: userOf(customer).user, scopes: ["events:inventory", "orders:own"] }

/** Leads to the page to sign in. */
class NotSignedIn extends Error {}

/** The script of the pages. `conditions` select exports of packages. */
export const bundle = async (conditions: Array<string> = []): Promise<string> => {
  const entryPoint = fileURLToPath(new URL("browser.ts", import.meta.url))
  const options = { conditions, bundle: true, minify: true, format: "esm", write: false } as const
  return (await build({ entryPoints: [entryPoint], ...options })).outputFiles[0]?.text ?? ""
}

/** The Express app. `key` signs the sessions. */
export const createShop = (database: Database, key: string, script: string) => {
  const { db, petstore } = database

  const visitorOf = ({ headers }: Request): Customer | undefined => customerOf(db, headers.cookie, key)

  const customerFor = (request: Request): Customer => {
    const customer = visitorOf(request)
    if (customer === undefined) throw new NotSignedIn()
    return customer
  }

  const staffFor = (request: Request): Customer => {
    const customer = customerFor(request)
    if (!customer.isAdmin) throw new NotSignedIn()
    return customer
  }

  /** Called before the page reads anything: what changes in between comes as an event. */
  const visitOf = async (request: Request): Promise<Visit> => ({
    customer: visitorOf(request),
    position: await petstore.events.latest()
  })

  const withNames = async <A extends { readonly petId?: number }>(items: ReadonlyArray<A>) => {
    const id = [...new Set(items.flatMap(({ petId = [] }) => petId))]
    const pets = id.length === 0 ? [] : (await petstore.pets.list({ id: id.slice(0, 100) })).items
    return items.map((item) => ({ ...item, name: pets.find((pet) => pet.id === item.petId)?.name ?? "" }))
  }

  const stock = async () => withNames((await petstore.inventory.list({ limit: 100 })).items)

  const api = createHandler(petstore, {
    mountPath: "/petstore",
    authenticate: (request: Request) => principalOf(visitorOf(request), request.ip)
  })

  const app = express()
  // Nothing else of the API: what customers may do is in the routes below.
  app.get("/petstore/v1/events/stream", api.node)
  app.use(express.urlencoded())
  app.use((request, _response, next) => {
    // A request without a form has no body.
    request.body ??= {}
    next()
  })
  app.get("/browser.js", (_request, response) => void response.type("js").send(script))

  app.get("/", async (request, response) => {
    const visit = await visitOf(request)
    response.send(page(visit, "Pets", petTable(await stock())))
  })

  app.get("/sign-in", async (request, response) => {
    response.send(page(await visitOf(request), "Sign in", signInForm))
  })

  app.post(["/sign-in", "/register"], async (request, response) => {
    const enter = request.path === "/register" ? register : signIn
    const customer = await enter(database, String(request.body.name), String(request.body.password))
    if (customer === undefined) {
      const message = html`The password is wrong, or the name is taken. ${signInForm}`
      response.status(401).send(page(await visitOf(request), "Sign in", message))
    } else {
      // SameSite keeps pages of other sites from using the session. With https, add `secure: true`.
      response.cookie("session", sessionOf(customer, key), { httpOnly: true, sameSite: "lax", maxAge: sessionLength })
      response.redirect(303, "/")
    }
  })

  app.post("/sign-out", (_request, response) => {
    response.clearCookie("session").redirect(303, "/")
  })

  app.get("/cart", async (request, response) => {
    const customer = customerFor(request)
    const visit = await visitOf(request)
    const cartId = currentCart(db, customer) ?? 0
    response.send(page(visit, "Cart", cartTable(cartId, await withNames(linesOf(db, customer, cartId)))))
  })

  app.post("/cart", async (request, response) => {
    const customer = customerFor(request)
    const { id } = await petstore.pets.get(Number(request.body.petId))
    const quantity = Number(request.body.quantity)
    if (!(Number.isInteger(quantity) && quantity >= 0 && quantity <= 100)) return void response.sendStatus(400)
    await setLine(database, customer, id, quantity)
    response.redirect(303, "/cart")
  })

  app.post("/checkout", async (request, response) => {
    await checkout(database, customerFor(request), Number(request.body.cartId))
    response.redirect(303, "/orders")
  })

  app.get("/orders", async (request, response) => {
    const own = petstore.as(userOf(customerFor(request))).orders
    const visit = await visitOf(request)
    const { items } = await own.list({ sort: "-id" })
    const orders = items.map(async (order) => {
      // None if it is paid, or was a moment ago.
      const reservation = await own.reservation(order.id).catch(() => undefined)
      return { ...order, expiresAt: reservation?.expiresAt }
    })
    response.send(page(visit, "Orders", orderTable(await withNames(await Promise.all(orders)))))
  })

  // A real shop takes the money first.
  app.post("/pay", async (request, response) => {
    await petstore.as(userOf(customerFor(request))).orders.complete(Number(request.body.orderId))
    response.redirect(303, "/orders")
  })

  app.get("/admin", async (request, response) => {
    staffFor(request)
    const visit = await visitOf(request)
    const counted = async (list: Promise<Page<unknown>>) => {
      const { count = 0, isExact = true } = (await list).total ?? {}
      return isExact ? `${count}` : `${count}+`
    }
    const counts = {
      Customers: String(db.prepare("SELECT count(*) AS count FROM customers").get()?.count),
      Pets: await counted(petstore.pets.list({ count: true, limit: 1 })),
      "Open orders": await counted(petstore.orders.list({ state: "open", count: true, limit: 1 })),
      "Paid orders": await counted(petstore.orders.list({ state: "complete", count: true, limit: 1 }))
    }
    const body = html`${countList(counts, await petstore.stats())} ${stockTable(await stock())}`
    response.send(page(visit, "Admin", body))
  })

  app.post("/received", async (request, response) => {
    const delta = Number(request.body.quantity)
    const staff = petstore.as(userOf(staffFor(request)))
    await staff.inventory.adjust(Number(request.body.petId), { delta, reason: "received" })
    response.redirect(303, "/admin")
  })

  /** What a customer reads: the messages of the petstore are for developers. */
  const messageOf = async (error: PetstoreError): Promise<string> => {
    if (error instanceof NotFound) return "This is not there any more."
    if (!(error instanceof InsufficientStock)) return error.message
    const { available, petId } = error.details
    return `Only ${available} left of ${(await petstore.pets.get(petId)).name}. Change your cart.`
  }

  const onError: ErrorRequestHandler = async (error, request, response, next) => {
    if (error instanceof NotSignedIn) response.redirect(303, "/sign-in")
    else if (error instanceof PetstoreError) {
      const body = html`<p>${await messageOf(error)}</p>`
      response.status(error.status).send(page(await visitOf(request), "Sorry", body))
    } else next(error)
  }
  app.use(onError)
  return { app, api }
}
