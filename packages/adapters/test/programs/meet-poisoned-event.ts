// Sends the events of a store, `sqlite:FILE` or `postgres:URL`, until it has recorded that an attempt was lost, and sent the
// others. One about the name "poison" ends the process.
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"

const [, , storage = ""] = process.argv
const place = storage.slice(storage.indexOf(":") + 1)

const petstore = await createPetstore({
  storage: storage.startsWith("sqlite:") ? sqlite(place) : postgres(place),
  webhooks: {
    send: ({ body }) =>
      Effect.sync(() => {
        if (body.includes('"poison"')) process.kill(process.pid, "SIGKILL")
        return { delivered: true, status: 204 }
      }),
    urlProblem: () => undefined
  }
})
const isDone = async () =>
  (await petstore.stats()).webhooks.attempts.attempt_lost > 0 &&
  (await petstore.webhooks.deliveries(1, { status: "pending" })).items.every(({ attempts }) => attempts > 0)
while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20))
await petstore.close()
