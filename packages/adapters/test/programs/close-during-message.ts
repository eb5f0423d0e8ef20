// Closes a petstore on a file while its handler waits for something that does not keep a process alive.
import { createPetstore } from "@petstore/core"
import { sqlite } from "../../src/sqlite/sqlite.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , file = ""] = process.argv
const begun = Promise.withResolvers<void>()

const petstore = await createPetstore({
  storage: sqlite(file),
  messages: { drain: 300 },
  onMessage: () => {
    begun.resolve()
    return new Promise(() => {})
  }
})
await petstore.messages.enqueue("Hello")
await begun.promise
await petstore.close()
writeLine("closed")
