// Expires the orders of a store, `sqlite:FILE` or `postgres:URL`, that are overdue, until it is killed or its input ends.

import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { writeLine } from "../support/writeLine.ts"

const [, , storage = ""] = process.argv
const [kind, place] = [storage.slice(0, storage.indexOf(":")), storage.slice(storage.indexOf(":") + 1)]

const petstore = await createPetstore({ storage: kind === "sqlite" ? sqlite(place) : postgres(place) })
writeLine("open")
process.stdin.once("end", () => void petstore.close()).resume()
