import { setTimeout } from "node:timers/promises"
import { bundle, openShop } from "./shop.ts"

const { app, petstore } = await openShop(await bundle())
const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
const tom = await petstore.pets.create({ name: "Tom", categoryId })
app.listen(3000, "127.0.0.1", () => console.log("Open http://127.0.0.1:3000/react, /preact or /vue, and watch"))

// Sells and restocks while you watch.
for (;;) {
  const { available = 0 } = await petstore.inventory.get(tom.id)
  if (available === 0) await petstore.inventory.adjust(tom.id, { delta: 5, reason: "received" })
  else await petstore.orders.place({ petId: tom.id, complete: true }).catch(() => {})
  await setTimeout(2_000)
}
