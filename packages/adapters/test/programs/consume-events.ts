// Opens the consumer `invoices` on a store, `sqlite:FILE` or `postgres:URL`. Writes each event before and after it is handled,
// without buffering. An event whose number is in the third argument fails once; the handler takes as many milliseconds as the
// second says. The fourth is the lease in milliseconds, which is short by default, and the fifth the concurrency.

import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { openPetstore, Petstore } from "@petstore/core/effect"
import { ConsumerLease } from "@petstore/core/runtime"
import * as Layer from "effect/Layer"
import { writeLine } from "../support/writeLine.ts"

const [, , storage = "", millis = "0", failing = "", lease = "1500", concurrency = "1"] = process.argv
const [kind, place] = [storage.slice(0, storage.indexOf(":")), storage.slice(storage.indexOf(":") + 1)]
const adapter = kind === "sqlite" ? sqlite(place) : postgres(place)

const petstore = await openPetstore(Layer.provide(Petstore.layer(adapter), Layer.succeed(ConsumerLease, Number(lease))))
await petstore.events.consume(
  "invoices",
  async ({ seq }, { attempt }) => {
    writeLine(`begin ${seq}`)
    if (String(seq) === failing && attempt === 1) throw new Error("no paper")
    await new Promise((resolve) => setTimeout(resolve, Number(millis)))
    writeLine(`end ${seq}`)
  },
  { after: 0, concurrency: Number(concurrency), onError: (_, event) => writeLine(`failed ${event?.seq}`) }
)
writeLine("open")
// Consumers keep no process alive.
setInterval(() => {}, 1_000)
