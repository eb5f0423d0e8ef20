// Opens a petstore with 300 pets in the database file and 60 more in its log, and writes "started". For each line "write" it adds one,
// and writes how that went. It closes the petstore at the line "close" and at SIGTERM, and ends without that at the line "leave".

import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { createPetstore, PetstoreError } from "@petstore/core"
import { sqlite } from "../../src/sqlite/index.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , file = ""] = process.argv
// The log.
console.log = () => {}
const petstore = await createPetstore({ storage: sqlite(file) })
const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
let pets = 0
const add = (count: number) =>
  Promise.all(Array.from({ length: count }, () => petstore.pets.create({ name: `Rex ${++pets}`, categoryId })))

const input = createInterface(process.stdin)
const close = async () => {
  input.close()
  await petstore.close()
}

await add(300)
const other = new DatabaseSync(file)
other.exec("PRAGMA wal_checkpoint(TRUNCATE)")
other.close()
await add(60)
process.once("SIGTERM", close)
writeLine("started")
for await (const line of input) {
  if (line === "close") await close()
  else if (line === "leave") break
  else {
    const outcome = await add(1).then(
      () => "ok",
      (error) => (error instanceof PetstoreError ? error.code : String(error))
    )
    writeLine(outcome)
  }
}
process.stdin.destroy()
