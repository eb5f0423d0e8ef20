// Delivers the messages of a store, `sqlite:FILE` or `postgres:URL`, claimed ahead, until none is queued. The one with the text "poison"
// ends the process.
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"

const [, , storage = ""] = process.argv
const place = storage.slice(storage.indexOf(":") + 1)

const petstore = await createPetstore({
  storage: storage.startsWith("sqlite:") ? sqlite(place) : postgres(place),
  onMessage: ({ message }) => {
    if (message === "poison") process.kill(process.pid, "SIGKILL")
  }
})
while ((await petstore.messages.list({ status: "queued", limit: 1 })).items.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
await petstore.close()
