// Waits for a line of input, then opens a petstore on a database, and creates and reads a category.

import { once } from "node:events"
import { createPetstore } from "@petstore/core"
import { postgres } from "../../src/postgres/index.ts"

process.stdout.write("ready\n")
await once(process.stdin, "data")
const petstore = await createPetstore({ storage: postgres(process.argv[2] ?? "") })
const { id } = await petstore.categories.create({ name: `process ${process.pid}` })
const { name } = await petstore.categories.get(id)
await petstore.close()
process.stdout.write(`${name}\n`)
process.exit(0)
