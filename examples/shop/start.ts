import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import { register } from "./customers.ts"
import { openDatabase } from "./database.ts"
import { bundle, createShop } from "./shop.ts"
import { openWarehouse } from "./warehouse.ts"

// A real shop has a key for its sessions and another one for its secrets, both from its environment.
if (!existsSync("my-shop.key")) writeFileSync("my-shop.key", randomBytes(32).toString("base64"), { mode: 0o600 })
const key = readFileSync("my-shop.key", "utf8")
const database = await openDatabase("my-shop.db", key)
const { petstore } = database

// At the first start: somebody who works here, and pets.
if ((await register(database, "admin", "admin", true)) !== undefined) {
  const { id: categoryId } = await petstore.categories.create({ name: "Rabbits" })
  const names = ["Flopsy", "Mopsy", "Cotton-tail"]
  const pets = await petstore.pets.createAll(names.map((name) => ({ name, categoryId })))
  await petstore.inventory.setAll(pets.map(({ id }) => ({ petId: id, quantity: 5 })))
}

// The secret is shown to the one who creates the webhook. Each start of this example makes a new one for the warehouse.
const warehouse = openWarehouse()
const [webhook] = (await petstore.webhooks.list()).items
const { secret } =
  webhook === undefined
    ? await petstore.webhooks.create({ url: "http://127.0.0.1:3001/webhooks", types: ["order.completed"] })
    : await petstore.webhooks.rotateSecret(webhook.id)
warehouse.trust(secret)
const warehouseServer = warehouse.app.listen(3001, "127.0.0.1")

const { app, api } = createShop(database, key, await bundle())
const server = app.listen(3000, "127.0.0.1", () => {
  console.log(
    "The shop is at http://127.0.0.1:3000, and admin's password is admin. The warehouse is at http://127.0.0.1:3001."
  )
})

process.once("SIGTERM", async () => {
  await Promise.all([api.close(), wait(500)]) // finishes API requests, those already on their way included
  await server[Symbol.asyncDispose]() // finishes the shop's own requests
  await database.close()
  warehouseServer.close()
})
