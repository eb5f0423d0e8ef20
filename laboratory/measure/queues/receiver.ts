// A receiver of webhooks that responds at once, and reports the ids and times of what arrives to its parent.

import { createServer } from "node:http"

let batch: Array<readonly [id: string, at: number]> = []

const report = () => {
  process.send?.(batch)
  batch = []
}

const server = createServer((request, response) => {
  request.resume().once("end", () => {
    response.writeHead(204).end()
    if (batch.length === 0) setImmediate(report)
    batch.push([String(request.headers["webhook-id"]), performance.timeOrigin + performance.now()])
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.(typeof address === "object" ? address?.port : undefined)
})
