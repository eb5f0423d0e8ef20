import { fork } from "node:child_process"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import type { Petstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { addKeys, idOf } from "../../load/furnish.ts"
import { furnishedByHand, openFurnished } from "../inProcess/byHand.ts"
import { type Contender, type Contenders, callUntil } from "../inProcess/Contender.ts"
import { clientCore, onCore } from "../machine/processes.ts"

const callers = 64
const many = 1_000

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Orders of a petstore whose followers, as those of an app, stay as long as it is open. */
const ordering = (petstore: Petstore, settle: (orders: number) => Promise<void>): Contender => ({
  work: async (end) => {
    const orders = await callUntil(end, callers, (n) => petstore.orders.place({ petId: idOf(n) }))
    await settle(orders)
    return orders
  }
})

/** Waits until followers have handled so many events of each order. */
const counting = (perOrder: number) => {
  let [handled, wanted] = [0, 0]
  return {
    handle: () => void handled++,
    settle: async (orders: number): Promise<void> => {
      wanted += orders * perOrder
      while (handled < wanted) await pause(1)
      if (handled > wanted) throw new Error(`${handled} events were handled, not ${wanted}`)
    }
  }
}

const consumers =
  (count: number, type: "order.placed" | "order.cancelled" = "order.placed") =>
  async ({ folder }: { readonly folder: string }): Promise<Contender> => {
    const petstore = await openFurnished(folder)
    const { handle, settle } = counting(type === "order.placed" ? count : 0)
    for (let n = 0; n < count; n++) await petstore.events.consume(`bench-${n}`, handle, { types: [type] })
    return ordering(petstore, settle)
  }

/** Starts a server, and a process with a thousand streams of its events. */
const withStreams = async (listener: RequestListener, key: string) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: many }, resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1/events/stream?types=order.placed`
  const clients = fork(
    fileURLToPath(new URL("streams.ts", import.meta.url)),
    [url, key, String(many)],
    onCore(clientCore)
  )
  clients.once("exit", (code) => {
    if (code === 1) throw new Error("The server has ended a stream")
  })
  let [received, wanted] = [0, 0]
  await new Promise<void>((resolve) =>
    clients.on("message", (message: "open" | { readonly events: number }) => {
      if (message === "open") resolve()
      else received += message.events
    })
  )
  return async (orders: number): Promise<void> => {
    wanted += orders * many
    while (received < wanted) await pause(1)
  }
}

export const contenders: Contenders = {
  none: consumers(0),
  "1": consumers(1),
  "10": consumers(10),
  "100": consumers(100),
  "100 of another type": consumers(100, "order.cancelled"),
  subscribers: async ({ folder }) => {
    const petstore = await openFurnished(folder)
    const { handle, settle } = counting(many)
    for (let n = 0; n < many; n++) await petstore.events.subscribe(handle, { types: ["order.placed"] })
    return ordering(petstore, settle)
  },
  streams: async ({ folder }) => {
    const petstore = await openFurnished(folder)
    const [key = ""] = (await addKeys(petstore, "write")).keys
    const handler = createHandler(petstore, { streamLimit: 8 * many, streamsPerKey: 8 * many })
    return ordering(petstore, await withStreams(handler.node, key))
  },
  "streams by hand": async ({ folder }) => {
    const { placeTogether } = await furnishedByHand(folder)
    const open = new Set<ServerResponse>()
    let seq = 0
    const settle = await withStreams((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" }).write(": open\n\n")
      open.add(response)
    }, "")
    return {
      work: async (end) => {
        const orders = await callUntil(end, callers, async (n) => {
          const data = await placeTogether(idOf(n))
          const timestamp = new Date().toISOString()
          const event = { id: `evt_${++seq}`, seq, type: "order.placed", subject: `orders/${data.id}`, timestamp, data }
          const frame = `id: ${seq}\nevent: order.placed\ndata: ${JSON.stringify(event)}\n\n`
          for (const response of open) response.write(frame)
        })
        await settle(orders)
        return orders
      }
    }
  }
}
