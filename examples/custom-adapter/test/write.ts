import { createPetstore } from "@petstore/core"
import { lmdb } from "../lmdb.ts"

/** Adds pets until it is killed, and prints the id of each after it was acknowledged. */
const [, , file = "", name = ""] = process.argv
const petstore = await createPetstore({ storage: lmdb(file) })
const { id: categoryId } = await petstore.categories.create({ name })
for (;;) {
  const { id } = await petstore.pets.create({ name, categoryId })
  await new Promise((written) => process.stdout.write(`${id}\n`, written))
}
