// Listens to the events of the file given, writes the types of those that are there, and ends with nothing left to do: a
// subscription that is open keeps no process alive.

import { createPetstore } from "@petstore/core"
import { sqlite } from "../../src/sqlite/index.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , file = ""] = process.argv

const petstore = await createPetstore({ storage: sqlite(file) })
await petstore.events.subscribe(({ type }) => void writeLine(type), { after: 0 })
