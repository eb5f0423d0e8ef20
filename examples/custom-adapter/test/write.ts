import { writeSync } from "node:fs"
import { createPetstore } from "@petstore/core"
import { lmdb } from "../lmdb.ts"

/** Adds pets until it is killed, and says the id of each once it was acknowledged. */
const [, , file = "", name = ""] = process.argv
const petstore = await createPetstore({ storage: lmdb(file) })
const { id: categoryId } = await petstore.categories.create({ name })
for (;;) {
  const { id } = await petstore.pets.create({ name, categoryId })
  writeSync(1, `${id}\n`)
}
