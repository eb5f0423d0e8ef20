// Sells pets of the database given for ever, each order and its invoice in one transaction of its own connection, and writes
// the id of each order as soon as it is committed. Ends in the middle of the transaction of the number given, if one is.

import { createPetstore } from "@petstore/core"
import pg from "pg"
import { postgres } from "../../src/postgres/index.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , url = "", last = "Infinity"] = process.argv

const client = new pg.Client(url)
await client.connect()
await client.query("CREATE TABLE IF NOT EXISTS invoices (order_id bigint PRIMARY KEY)")
const petstore = await createPetstore({ storage: postgres({ url, maxConnections: 2 }) })
const { id: categoryId } = await petstore.categories.create({ name: `Rabbits of ${process.pid}` })
const { id: petId } = await petstore.pets.create({ name: "Flopsy", categoryId })
await petstore.inventory.set(petId, 1_000_000)
writeLine("started")

for (let sold = 1; ; sold++) {
  await client.query("BEGIN")
  const { id } = await petstore.orders.place({ petId }, { transaction: client })
  await client.query("INSERT INTO invoices VALUES ($1)", [id])
  await petstore.orders.complete(id, { transaction: client })
  if (sold === Number(last)) process.exit(7)
  await client.query("COMMIT")
  writeLine(String(id))
}
