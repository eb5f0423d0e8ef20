import { InsufficientStock, type PetstoreApi } from "@petstore/core"
import { memory, Petstore } from "@petstore/core/effect"
import { serve } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import { Effect, Redacted } from "effect"

const adminKey = Redacted.make(process.env.PETSTORE_ADMIN_KEY ?? "change-me-in-production")

const shop = async (petstore: PetstoreApi): Promise<void> => {
  const { id: categoryId } = await petstore.categories.create({ name: "Parrots" })
  const polly = await petstore.pets.create({ name: "Polly", categoryId })

  const order = await petstore.orders.place({ petId: polly.id }, { idempotencyKey: "cart-1" })
  const again = await petstore.orders.place({ petId: polly.id }, { idempotencyKey: "cart-1" })
  console.log(`ordered twice with one key: order ${order.id} and order ${again.id}`)

  const error = await petstore.orders.place({ petId: polly.id }).catch((error: unknown) => error)
  if (error instanceof InsufficientStock) console.log(`rejected with ${error.status} ${error.code}`)

  await petstore.orders.complete(order.id)
  const { inventory, status } = await petstore.pets.getWithInventory(polly.id)
  console.log(`${inventory.quantity} on hand, ${status}`)
}

const program = Effect.gen(function* () {
  const { url } = yield* serve({ port: Number(process.env.PORT ?? 0), adminKey })
  yield* Effect.promise(() => shop(createClient({ baseUrl: `${url}/v1`, key: adminKey })))
})

// The scope stops the server, then the layer closes the store.
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Petstore.layer(memory()))))
