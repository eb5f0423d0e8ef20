// What is inferred of the public API and exported: declarations of the exporting program must be able to name its types.
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, InsufficientStock, memory, PetstoreError, type PetstoreOptions, refusal } from "@petstore/core"
import { Order, OrderRules, StockRules } from "@petstore/core/domain"
import { Petstore, Storage } from "@petstore/core/effect"
import { signWebhook, verifyWebhook, WebhookVerificationError } from "@petstore/core/verify-webhook"
import { createHandler, makeHandler, serve } from "@petstore/http"
import { createClient, HttpPetstore } from "@petstore/http/client"
import { openApiDocument } from "@petstore/http/openapi"
import { aNewPet, arbitraries, embeddedContract, testPetstore } from "@petstore/testing"
import { Context, Effect, Layer, Result, Schema } from "effect"

export const storages = { file: sqlite({ file: "petstore.db", migrate: false }), memory: memory() }
export const options = { storage: storages.file } satisfies PetstoreOptions
export const petstore = await createPetstore(options)

export const cats = await petstore.categories.create({ name: "Cats" })
export const tom = await petstore.pets.create({ name: "Tom", categoryId: cats.id, status: "pending" })
export const both = await petstore.pets.getWithInventory(tom.id)
export const page = await petstore.pets.list({ status: "available" })
export const order = await petstore.orders.place({ petId: tom.id }, { idempotencyKey: "order-1" })
export const key = await petstore.apiKeys.create({ accountId: 1, name: "shop", preset: "storefront" })
export const report = await petstore.verify()
export const placeOrder = (quantity: number) => petstore.orders.place({ petId: tom.id, quantity })
export const reasonOf = (error: unknown) =>
  error instanceof InsufficientStock ? error.details : error instanceof PetstoreError ? error.toJSON() : undefined

export const program = Effect.gen(function* () {
  const { orders, pets } = yield* Petstore
  const rex = yield* pets.create({ name: "Rex", categoryId: 1 })
  return yield* orders.place({ petId: rex.id })
})
export const recovered = program.pipe(Effect.catchTag("InsufficientStock", ({ details }) => Effect.succeed(details)))
export const layer = Petstore.layer(memory())
export const ran = Effect.provide(program, layer)
export const Both = Layer.mergeAll(layer, Layer.effectDiscard(Storage))
export class Shop extends Context.Service<Shop>()("Shop", { make: program }) {}

export const OrderWithNote = Schema.Struct({ ...Order.fields, note: Schema.String })
export const decided = OrderRules.place({ petId: 1, quantity: 2 }, () => StockRules.initial(undefined).stock, "now")
export const stocks = Result.map(decided, ({ stocks }) => stocks)
export const NoReptiles = refusal("no_reptiles", () => "Reptiles are not sent by mail.")

export const handler = createHandler(petstore, { basePath: "/v1" })
export const server = serve({ port: 0 })
export const made = makeHandler({})
export const client = createClient({ baseUrl: "https://pets.example/v1", key: "psk_1" })
export const remote = HttpPetstore.layer({ baseUrl: "https://pets.example/v1", key: "psk_1" })
export const document = openApiDocument()

export const webhook = (headers: Headers, body: string) => verifyWebhook("whsec_", headers, body)
export const signed = (body: string) => signWebhook("whsec_", { id: "evt_1", timestamp: 1, body })
export const codeOf = (error: unknown) => (error instanceof WebhookVerificationError ? error.code : undefined)

export const built = aNewPet({ name: "Tom" })
export const forTests = await testPetstore()
export const cases = embeddedContract
export { arbitraries }
