import { createServer } from "node:http"
import { verifyWebhook } from "@petstore/core/verify-webhook"
import { textOf } from "../support/receivers.ts"

// A receiver that verifies webhooks, and writes a line for each: its id. With HOLD, it never responds.
const { HOLD, PORT = "0", SECRET = "" } = process.env

const server = createServer(async (request, response) => {
  const event = await verifyWebhook(SECRET, request.headers, await textOf(request)).catch((error: Error) => error)
  process.stdout.write(event instanceof Error ? `refused ${event.message}\n` : `got ${event.id}\n`)
  if (HOLD === undefined) response.writeHead(event instanceof Error ? 400 : 204).end()
})
server.listen(Number(PORT), "127.0.0.1", () => process.stdout.write("listening\n"))
