// Sells pets of the file or database given for ever, each order and its invoice in one transaction of its own connection, and
// writes the id of each order as soon as it is committed. Ends in the middle of the transaction of the number given, if one is.

import { DatabaseSync } from "node:sqlite"
import { createPetstore } from "@petstore/core"
import pg from "pg"
import { postgres } from "../../src/postgres/index.ts"
import { sqlite } from "../../src/sqlite/index.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , kind = "", place = "", last = "Infinity"] = process.argv

const onSqlite = () => {
  const db = new DatabaseSync(place)
  const run = async (sql: string): Promise<unknown> => db.exec(sql)
  return { storage: sqlite({ database: db }), transaction: db, begin: "BEGIN IMMEDIATE", run }
}

const onPostgres = async () => {
  const client = new pg.Client(place)
  await client.connect()
  const run = async (sql: string): Promise<unknown> => client.query(sql)
  return { storage: postgres({ url: place, maxConnections: 2 }), transaction: client, begin: "BEGIN", run }
}

const { begin, run, storage, transaction } = kind === "sqlite" ? onSqlite() : await onPostgres()
await run("CREATE TABLE IF NOT EXISTS invoices (order_id bigint PRIMARY KEY)")
const petstore = await createPetstore({ storage })
const { id: categoryId } = await petstore.categories.create({ name: `Rabbits of ${process.pid}` })
const { id: petId } = await petstore.pets.create({ name: "Flopsy", categoryId })
await petstore.inventory.set(petId, 1_000_000)
writeLine("started")

for (let sold = 1; ; sold++) {
  await run(begin)
  const { id } = await petstore.orders.place({ petId }, { transaction })
  await run(`INSERT INTO invoices VALUES (${id})`)
  await petstore.orders.complete(id, { transaction })
  if (sold === Number(last)) process.exit(7)
  await run("COMMIT")
  writeLine(String(id))
}
