import { setTimeout as wait } from "node:timers/promises"
import { serve } from "@hono/node-server"
import { createPetstore, PetstoreError } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { Hono } from "hono"

const petstore = await createPetstore()
const { id: categoryId } = await petstore.categories.create({ name: "Goldfish" })
for (const name of ["Bubbles", "Finn"]) await petstore.pets.create({ name, categoryId })

// A public catalogue: everyone may read, nobody may write.
const api = createHandler(petstore, {
  mountPath: "/petstore",
  authenticate: () => ({ actor: "visitor", scopes: ["pets:read"] })
})

const app = new Hono()
app.all("/petstore/*", (context) => api.fetch(context.req.raw))
app.post("/buy/:petId", async (context) => {
  const order = await petstore.orders.place({ petId: Number(context.req.param("petId")), complete: true })
  return context.text(`Order ${order.id} is on its way`)
})
app.onError((error, context) => {
  const isConflict = error instanceof PetstoreError && error.status === 409
  return isConflict ? context.text(`Sorry: ${error.message}`, 409) : context.text("Something broke", 500)
})

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: "127.0.0.1" }, ({ port }) =>
  console.log(`Listening on http://127.0.0.1:${port}`)
)

process.once("SIGTERM", async () => {
  await Promise.all([api.close(), wait(500)]) // finishes API requests, those already on their way included
  await new Promise((closed) => server.close(closed)) // finishes the app's own requests
  await petstore.close() // no request needs the data any more
  console.log("Closed")
})
