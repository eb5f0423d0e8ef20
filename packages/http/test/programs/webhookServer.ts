import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { webhookSender } from "@petstore/http/webhooks"

// A server that delivers the webhooks of a store, a SQLite file or the URL of a PostgreSQL database, until it is killed or its standard input ends. Its clock is ahead by
// CLOCK_AHEAD milliseconds. With NO_DNS, the look-up of names never ends.
const { CLOCK_AHEAD = "0", DATABASE = "", NO_DNS } = process.env

const systemTime = Date.now
Date.now = () => systemTime() + Number(CLOCK_AHEAD)

const neverResolved = () => {
  process.stdout.write("resolving\n")
  return new Promise<never>(() => {})
}

const petstore = await createPetstore({
  storage: DATABASE.startsWith("postgres") ? postgres({ url: DATABASE }) : sqlite(DATABASE),
  webhooks: webhookSender({
    allowLoopback: true,
    resolveName: NO_DNS === undefined ? async () => ["127.0.0.1"] : neverResolved
  })
})
process.stdout.write("open\n")
process.stdin.once("end", () => void petstore.close()).resume()
