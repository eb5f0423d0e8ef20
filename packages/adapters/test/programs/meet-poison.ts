// Delivers the messages of a file, claimed ahead, until none is queued. The one with the text "poison" ends the process.
import { createPetstore } from "@petstore/core"
import { sqlite } from "../../src/sqlite/sqlite.ts"

const [, , file = ""] = process.argv

const petstore = await createPetstore({
  storage: sqlite(file),
  onMessage: ({ message }) => {
    if (message === "poison") process.kill(process.pid, "SIGKILL")
  }
})
while ((await petstore.messages.list({ status: "queued", limit: 1 })).items.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
await petstore.close()
