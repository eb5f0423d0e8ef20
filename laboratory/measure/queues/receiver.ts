// A receiver of webhooks that responds at once, and reports how many have arrived to its parent.

import { createServer } from "node:http"

let arrived = 0

const report = () => {
  process.send?.(arrived)
  arrived = 0
}

// Senders pause between turns.
const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  request.resume().once("end", () => {
    response.writeHead(204).end()
    if (arrived++ === 0) setImmediate(report)
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.(typeof address === "object" ? address?.port : undefined)
})
process.once("disconnect", () => process.exit())
