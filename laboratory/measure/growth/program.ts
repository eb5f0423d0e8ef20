// A process with a large store: `node program.ts FILE ROWS`. It fills the file first. Each message `{ operation, calls }` prepares calls of
// an operation, with ids from all over the store, and the next message runs them, one after another.

import { on } from "node:events"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { fillLargeStore } from "../largeStore.ts"
import { operations } from "./operations.ts"

const [, , file = "", rows = ""] = process.argv

await fillLargeStore(sqlite(file), Number(rows))
const petstore = await createPetstore({ storage: sqlite(file) })

// The same ids in every run: a full period of a generator modulo 2 ** 32.
let state = 1
const randomId = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return 1 + Math.floor((state / 2 ** 32) * Number(rows))
}

process.once("disconnect", () => process.exit())
const messages = on(process, "message")
process.send?.("ready")
for await (const [{ calls, operation: name }] of messages) {
  const operation = operations[name]
  if (operation === undefined) throw new TypeError(`There is no operation ${name}`)
  const ids = await operation.prepare(petstore, randomId, calls)
  process.send?.(ids.length)
  await messages.next()
  const start = performance.now()
  for (const id of ids) await operation.call(petstore, id)
  process.send?.(((performance.now() - start) * 1_000) / ids.length)
}
