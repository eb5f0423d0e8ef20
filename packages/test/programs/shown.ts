// Each name that is declared here, and each that ends a line, is hovered over by a test.
import { createPetstore, InsufficientStock, type PetstoreError, refusal } from "@petstore/core"
import { OrderRules, StockRules } from "@petstore/core/domain"
import { memory, Petstore } from "@petstore/core/effect"
import { createHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import { Effect } from "effect"

const petstore = await createPetstore()
const cats = await petstore.categories.create({ name: "Cats" })
const tom = await petstore.pets.create({ name: "Tom", categoryId: cats.id })
const both = await petstore.pets.getWithInventory(tom.id)
const stock = await petstore.inventory.get(tom.id)
const pets = await petstore.pets.list({ status: "available" })
const order = await petstore.orders.place({ petId: tom.id })
const message = await petstore.messages.enqueue("hello")
const account = await petstore.accounts.create({ name: "shop" })
const apiKey = await petstore.apiKeys.create({ accountId: account.id, name: "till", preset: "read" })
const report = await petstore.verify()
const close = petstore.close
const details = new InsufficientStock({ petId: 1, requested: 2, available: 1 }).details
const body = (error: PetstoreError) => error.toJSON()
const NoReptiles = refusal("no_reptiles", ({ petId }: { readonly petId: number }) => `Pet ${petId} is a reptile.`)

const placing = (quantity: number) => Effect.flatMap(Petstore, ({ orders }) => orders.place({ quantity }))
const program = placing(2)
const caught = program.pipe(Effect.catchTag("InsufficientStock", () => Effect.void))
const provided = Effect.provide(program, Petstore.layer(memory()))
const decided = OrderRules.place({ petId: 1 }, () => StockRules.initial(undefined).stock, "2030-01-01T00:00:00.000Z")

const handler = createHandler(petstore)
const client = createClient({ baseUrl: "https://pets.example/v1", key: "psk_1" })

petstore.pets.create
petstore.orders.place
petstore.pets.all

export {
  apiKey,
  body,
  both,
  caught,
  client,
  close,
  decided,
  details,
  handler,
  message,
  NoReptiles,
  order,
  pets,
  provided,
  report,
  stock
}
