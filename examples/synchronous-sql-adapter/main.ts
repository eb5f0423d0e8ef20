import { rmSync } from "node:fs"
import { createPetstore } from "@petstore/core"
import { openFile } from "./nodeSqlite.ts"
import { synchronousSql } from "./synchronousSql.ts"

const storage = synchronousSql(openFile)("petstore.db")

{
  await using petstore = await createPetstore({ storage })
  const { id: categoryId } = await petstore.categories.create({ name: "Rabbits" })
  const flopsy = await petstore.pets.create({ name: "Flopsy", categoryId })
  await petstore.inventory.set(flopsy.id, 2)
  const order = await petstore.orders.place({ petId: flopsy.id })
  console.log(`order ${order.id} reserves ${order.quantity} of 2`)
}

{
  await using petstore = await createPetstore({ storage })
  const { items } = await petstore.pets.list({ name: "Flop" })
  for (const { id, name } of items) console.log(`${name} is still there:`, await petstore.inventory.get(id))
  console.log("every invariant holds:", (await petstore.verify()).ok)
}

for (const file of ["petstore.db", "petstore.db-shm", "petstore.db-wal"]) rmSync(file, { force: true })
