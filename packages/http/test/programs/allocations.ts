// Prints how many bytes of the heap a request takes, on both ends of a connection in one process:
// `node --expose-gc --min-semi-space-size=256 --max-semi-space-size=256 allocations.ts`.
// With these, nothing is collected while it counts.

import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"

const warmUp = 4_000
const counted = 2_000

const petstore = await createPetstore()
const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
const { id: petId } = await petstore.pets.create({ name: "Tom", categoryId })
await petstore.inventory.set(petId, 1_000_000)
const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
const { key } = await petstore.apiKeys.create({ accountId, name: "till", preset: "write" })
const handler = createHandler(petstore, { rateLimit: 1_000_000_000 })
const server = createServer({ optimizeEmptyRequests: true }, handler.node).listen(0, "127.0.0.1")
await once(server, "listening")
const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setNoDelay()
await once(socket, "connect")

const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`
const body = JSON.stringify({ petId, quantity: 1 })
const requests = {
  get: Buffer.from(`GET /v1/store/pets/${petId} ${head}\r\n`),
  order: Buffer.from(
    `POST /v1/store/orders ${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
}

/** Sends a request again and again, each after the response to the one before. A response comes in one piece. */
const send = (request: Buffer, times: number): Promise<void> =>
  new Promise((resolve) => {
    let left = times
    const onData = (): void => {
      if (--left > 0) {
        socket.write(request)
        return
      }
      socket.off("data", onData)
      resolve()
    }
    socket.on("data", onData)
    socket.write(request)
  })

const bytesOf = async (request: Buffer): Promise<number> => {
  await send(request, warmUp)
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  await send(request, counted)
  return Math.round((process.memoryUsage().heapUsed - before) / counted)
}

process.stdout.write(JSON.stringify({ get: await bytesOf(requests.get), order: await bytesOf(requests.order) }))
socket.destroy()
server.close()
await handler.close()
await petstore.close()
