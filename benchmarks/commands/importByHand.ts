// Imports pets with prepared statements alone: `node importByHand.ts FILE CSV`. Writes the rows that `petstore import` writes, as many in a
// transaction, and checks nothing but whether there is a name.

import { readFileSync } from "node:fs"
import { openDatabase, prepare } from "../peers/Database.ts"

const [, , file = "", csv = ""] = process.argv
const perCommit = 1_000

const database = openDatabase("node:sqlite", file)
const begin = prepare(database, "BEGIN IMMEDIATE")
const commit = prepare(database, "COMMIT")
const insertCategory = prepare(
  database,
  "INSERT INTO petstore_categories (name, name_key, version, deleted) VALUES (?, ?, 1, 0)"
)
const insertPet = prepare(
  database,
  "INSERT INTO petstore_pets (status, version, on_hand, reserved, held, stock_version, last_movement, name, category_id, deleted) VALUES ('available', 1, 1, 0, 0, 1, 1, ?, ?, 0)"
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
const eventId = (now: number): string =>
  `${now.toString(36).padStart(9, "0")}${(events++).toString(36).padStart(5, "0")}12345678`

const cells = /"((?:[^"]|"")*)"|[^,]*/y
const readLine = (line: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; at <= line.length; at = cells.lastIndex + 1) {
    cells.lastIndex = at
    const [text = "", quoted] = cells.exec(line) ?? []
    found.push(quoted === undefined ? text : quoted.replaceAll('""', '"'))
  }
  return found
}

const [header = "", ...lines] = readFileSync(csv, "utf8").trimEnd().split("\n")
const columns = readLine(header)
const nameColumn = columns.indexOf("animal_name")
const speciesColumn = columns.indexOf("species")
const categories = new Map<string, number>()

const categoryOf = (name: string, now: number, at: string): number => {
  const known = categories.get(name)
  if (known !== undefined) return known
  const id = Number(insertCategory.run(name, name.toLowerCase()).lastInsertRowid)
  insertEvent.run(
    `evt_${eventId(now)}`,
    "category.created",
    `categories/${id}`,
    at,
    JSON.stringify({ id, name, version: 1 })
  )
  categories.set(name, id)
  return id
}

for (let first = 0; first < lines.length; first += perCommit) {
  begin.run()
  for (const line of lines.slice(first, first + perCommit)) {
    const row = readLine(line)
    const name = (row[nameColumn] ?? "").trim()
    if (name === "") continue
    const now = Date.now()
    const at = new Date(now).toISOString()
    const category = categoryOf(row[speciesColumn] ?? "", now, at)
    const id = Number(insertPet.run(name, category).lastInsertRowid)
    insertMovement.run(id, at)
    // Events as a file of the petstore has them.
    insertEvent.run(eventId(now), "1", "", "0", `${id},${JSON.stringify(name)},${category},"available",1]`)
    insertEvent.run(eventId(now), "0", "", "0", `${id},1,"available",0,1,false,1]`)
  }
  commit.run()
}
