import { setTimeout } from "node:timers/promises"
import { openShop } from "./shop.ts"

const { app, petstore } = await openShop()
const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
const tom = await petstore.pets.create({ name: "Tom", categoryId })
app.listen(3000, "127.0.0.1", () => console.log("Open http://127.0.0.1:3000 and watch"))

// Sells and restocks while you watch.
for (;;) {
  await petstore.inventory.set(tom.id, 5)
  for (let sold = 0; sold < 5; sold++) {
    await setTimeout(1_000)
    await petstore.orders.place({ petId: tom.id, complete: true })
  }
  await setTimeout(2_000)
}
