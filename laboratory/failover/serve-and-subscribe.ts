// An application server of the failover run: a petstore on PostgreSQL with its REST API and a subscriber to every event.
// Argument: the URL of the database. The parent sends "report", and gets what the subscriber has seen.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { postgres } from "@petstore/adapters/postgres"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { adminKey, type FromAppServer, type SubscriberReport } from "./messages.ts"

const [url = ""] = process.argv.slice(2)
const petstore = await createPetstore({ storage: postgres(url) })
const handler = createHandler(petstore, { adminKey, rateLimit: "off" })
const server = createServer(handler.node)

const placed: Array<number> = []
const disorder: Array<string> = []
let position = 0
let failedReads = 0

await petstore.events.subscribe(
  (event) => {
    if (event.seq !== position + 1 && disorder.length < 10) disorder.push(`${event.seq} came after ${position}`)
    position = event.seq
    if (event.type === "order.placed") placed.push(event.data.id)
  },
  { after: 0, onError: () => failedReads++ }
)

const send = (message: FromAppServer): void => void process.send?.(message)

process.on("message", () => {
  const report: SubscriberReport = { position, placed, disorder, failedReads }
  send({ kind: "report", report })
})
// Its parent is gone.
process.on("disconnect", () => process.exit())

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  send({ kind: "listening", url: `http://127.0.0.1:${port}` })
})
