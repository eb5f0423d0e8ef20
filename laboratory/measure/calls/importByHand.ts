// Imports pets with prepared statements alone: `node importByHand.ts FILE CSV`. Writes the rows that `petstore import` writes, as many in a
// transaction, and checks nothing but whether there is a name.

import { readFileSync } from "node:fs"
import { storedWords } from "../../../packages/core/src/domain/pets/words.ts"
import { openDatabase, prepare } from "../peers/Database.ts"
import { openEvents } from "../peers/Events.ts"

const [, , file = "", csv = ""] = process.argv
const perCommit = 1_000

const database = openDatabase("node:sqlite", file)
const begin = prepare(database, "BEGIN IMMEDIATE")
const commit = prepare(database, "COMMIT")
const insertCategory = prepare(
  database,
  "INSERT INTO petstore_categories (name, name_key, version, created_at, updated_at, deleted) VALUES (?, ?, 1, ?, ?, 0)"
)
const insertPet = prepare(
  database,
  "INSERT INTO petstore_pets (status, version, on_hand, reserved, held, stock_version, last_movement, name, words, category_id, created_at, updated_at, deleted) VALUES ('available', 1, 1, 0, 0, 1, 1, ?, ?, ?, ?, ?, 0)"
)
const insertMovement = prepare(
  database,
  "INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at) VALUES (?, 1, 'initial', 1, 0, NULL, 'owner', ?)"
)
const record = openEvents(database)

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
  const id = Number(insertCategory.run(name, name.toLowerCase(), at, at).lastInsertRowid)
  record("category.created", now, [id, name, 1])
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
    const id = Number(insertPet.run(name, storedWords(name) ?? null, category, at, at).lastInsertRowid)
    insertMovement.run(id, at)
    record("pet.created", now, [id, name, category, "available", 1])
    record("inventory.updated", now, [id, 1, "available", 0, 1, false, 1])
  }
  commit.run()
}
