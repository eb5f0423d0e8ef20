// Imports pets with prepared statements alone: `node importByHand.ts FILE CSV`. Writes the rows that `petstore import` writes, many in a
// transaction, and checks nothing.

import { readFileSync } from "node:fs"
import { openDatabase, prepare } from "../peers/Database.ts"

const [, , file = "", csv = ""] = process.argv
const perCommit = 500

const database = openDatabase("node:sqlite", file)
const begin = prepare(database, "BEGIN IMMEDIATE")
const commit = prepare(database, "COMMIT")
const insertPet = prepare(
  database,
  "INSERT INTO petstore_pets (status, version, on_hand, reserved, held, stock_version, last_movement, name, category_id, deleted) VALUES ('available', 1, 1, 0, 0, 1, 1, ?, 1, 0)"
)
const insertMovement = prepare(
  database,
  "INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at) VALUES (?, 1, 'initial', 1, 0, NULL, 'owner', ?)"
)
const insertEvent = prepare(
  database,
  "INSERT INTO petstore_events (id, type, subject, timestamp, data) VALUES (?, ?, ?, ?, ?)"
)
let events = 0
const record = (type: string, subject: string, at: string, data: object): void => {
  insertEvent.run(`evt_${events++}`.padEnd(26, "0"), type, subject, at, JSON.stringify(data))
}

const lines = readFileSync(csv, "utf8").trimEnd().split("\n").slice(1)
for (let first = 0; first < lines.length; first += perCommit) {
  begin.run()
  for (const line of lines.slice(first, first + perCommit)) {
    const [name = ""] = line.split(",")
    const at = new Date().toISOString()
    const id = Number(insertPet.run(name).lastInsertRowid)
    insertMovement.run(id, at)
    record("pet.created", `pets/${id}`, at, { id, name, categoryId: 1, status: "available", version: 1 })
    const stock = { petId: id, quantity: 1, status: "available", reserved: 0, available: 1, held: false, version: 1 }
    record("inventory.updated", `inventory/${id}`, at, stock)
  }
  commit.run()
}
