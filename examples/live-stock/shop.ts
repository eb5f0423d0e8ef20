import { fileURLToPath } from "node:url"
import { createPetstore } from "@petstore/core"
import { createHandler, type HostPrincipal } from "@petstore/http"
import { build } from "esbuild"
import express, { type Request } from "express"

const html = `<!doctype html>
<title>Live stock</title>
<h1>In stock now</h1>
<ul></ul>
<script type="module" src="/page.js"></script>
`

/**
 * Everyone who looks at the page has a session. A shop with accounts would ask for a password before it sets the cookie. Each
 * visitor is an actor of their own, and all have one account, which cannot take all streams of events.
 */
const visitorOf = ({ headers, ip }: Request): HostPrincipal | undefined =>
  headers.cookie?.includes("session=visitor")
    ? { actor: `visitor:${ip}`, accountId: 1, scopes: ["pets:read", "inventory:read", "events:inventory"] }
    : undefined

/** Makes the app, which the tests use too. */
export const openShop = async () => {
  const petstore = await createPetstore()
  const api = createHandler(petstore, {
    mountPath: "/petstore",
    authenticate: visitorOf
  })
  const page = await build({
    entryPoints: [fileURLToPath(new URL("page.ts", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    write: false
  })
  const app = express()
  app.use("/petstore", api.node)
  app.get("/page.js", (_request, response) => void response.type("js").send(page.outputFiles[0]?.text))
  app.get("/", (_request, response) => {
    // SameSite keeps pages of other sites from using the session.
    response.cookie("session", "visitor", { httpOnly: true, sameSite: "lax" }).type("html").send(html)
  })
  return { app, api, petstore }
}
