// Sells pets of the file given for ever, each order and its invoice in one transaction of its own connection, and writes
// the id of each order as soon as it is committed. Ends in the middle of the transaction of the number given, if one is.

import { DatabaseSync } from "node:sqlite"
import { createPetstore } from "@petstore/core"
import { sqlite } from "../../src/sqlite/index.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , file = "", last = "Infinity"] = process.argv

const db = new DatabaseSync(file)
db.exec("CREATE TABLE IF NOT EXISTS invoices (order_id INTEGER PRIMARY KEY)")
const petstore = await createPetstore({ storage: sqlite({ database: db }) })
const { id: categoryId } = await petstore.categories.create({ name: `Rabbits of ${process.pid}` })
const { id: petId } = await petstore.pets.create({ name: "Flopsy", categoryId })
await petstore.inventory.set(petId, 1_000_000)
writeLine("started")

for (let sold = 1; ; sold++) {
  db.exec("BEGIN IMMEDIATE")
  const { id } = await petstore.orders.place({ petId }, { transaction: db })
  db.prepare("INSERT INTO invoices VALUES (?)").run(id)
  await petstore.orders.complete(id, { transaction: db })
  if (sold === Number(last)) process.exit(7)
  db.exec("COMMIT")
  writeLine(String(id))
}
