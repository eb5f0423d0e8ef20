import { fileURLToPath } from "node:url"
import { createPetstore, InsufficientStock, OrderLimitExceeded, PetNotAvailable, PetstoreError } from "@petstore/core"
import { createHandler, type HostPrincipal } from "@petstore/http"
import { build } from "esbuild"
import express, { type Request } from "express"
import { networkOf } from "./networkOf.ts"

/**
 * Each visitor is an actor of their own, with their own limits, and all have one account, which cannot take all streams of events. The shop
 * reserves for them: its own route, below, decides how much and for how long.
 */
const visitorOf = ({ ip }: Request): HostPrincipal => ({
  actor: `visitor:${networkOf(ip)}`,
  accountId: 1,
  scopes: ["pets:read", "inventory:read", "events:pets", "events:inventory"]
})

const libraries = ["react", "preact", "vue"]

const html = (library: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Live stock</title>
<h1>In stock now, with ${library}</h1>
<main></main>
<script type="module" src="/${library}.js"></script>
</html>
`

/** The scripts of the pages, by path. `conditions` select exports of packages. */
export const bundle = async (conditions: Array<string> = []): Promise<ReadonlyMap<string, string>> => {
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(libraries.map((name) => [name, `./${name}/page`])),
    absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
    outdir: "/",
    conditions,
    bundle: true,
    minify: true,
    format: "esm",
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "false",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false"
    },
    write: false
  })
  return new Map(outputFiles.map(({ path, text }) => [path, text]))
}

/** What a visitor reads: the messages of the petstore are for developers. */
const textOf = (error: PetstoreError): string => {
  if (error instanceof OrderLimitExceeded) return "You hold three already."
  if (error instanceof InsufficientStock || error instanceof PetNotAvailable) return "It has just been sold."
  return "This did not work. Please try again."
}

/** Makes the app. A reservation lasts `reserveFor` milliseconds. */
export const openShop = async (scripts: ReadonlyMap<string, string>, reserveFor = 120_000) => {
  // Per address, so that a visitor who deletes cookies cannot hold more.
  const petstore = await createPetstore({ orderLimits: { openOrders: 3 } })
  const api = createHandler(petstore, { mountPath: "/petstore", authenticate: visitorOf })
  const app = express()
  app.use("/petstore", api.node)
  for (const [path, text] of scripts) app.get(path, (_request, response) => void response.type("js").send(text))
  app.get("/", (_request, response) => response.redirect("/react"))
  app.get(
    libraries.map((name) => `/${name}`),
    ({ path }, response) => void response.send(html(path.slice(1)))
  )

  const ordersOf = (request: Request) => petstore.as({ user: visitorOf(request).actor }).orders

  // The cookie tells visitors at one address apart. Nobody at another address can use it.
  app.get("/reservation", async (request, response) => {
    const id = Number(/(?:^|; )order=(\d+)/.exec(request.headers.cookie ?? "")?.[1] ?? 0)
    const orders = ordersOf(request)
    const found = await Promise.all([orders.get(id), orders.reservation(id)]).catch(() => undefined)
    if (found === undefined) response.sendStatus(204)
    else response.json({ petId: found[0].petId, expiresAt: found[1].expiresAt })
  })

  app.post("/reservation", express.json(), async (request, response) => {
    try {
      const orders = ordersOf(request)
      const { id, petId } = await orders.place({ petId: Number(request.body.petId) }, { reserveFor })
      const { expiresAt } = await orders.reservation(id)
      response.cookie("order", String(id), { httpOnly: true, sameSite: "lax" }).json({ petId, expiresAt })
    } catch (error) {
      if (error instanceof PetstoreError) response.status(error.status).send(textOf(error))
      else throw error
    }
  })
  return { app, api, petstore }
}
