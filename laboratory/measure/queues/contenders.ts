import { fork } from "node:child_process"
import { createHmac } from "node:crypto"
import { Agent, request } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import { webhookSender } from "@petstore/http/webhooks"
import { idOf, placeOrders } from "../../load/furnish.ts"
import { furnishedByHand, openFurnished, shopIn } from "../inProcess/byHand.ts"
import { type Contender, type Contenders, callUntil } from "../inProcess/Contender.ts"
import { clientCore, nextMessage, onCore } from "../machine/processes.ts"
import { openDatabase, prepare } from "../peers/Database.ts"
import { graphileWorker, pgBoss, type Queue } from "../peers/postgresQueues.ts"
import { queueByHand } from "./queueByHand.ts"

const callers = 64

/** Counts what has arrived, and waits until so much has. */
const arrivals = () => {
  let [arrived, onArrival] = [0, () => {}]
  return {
    add: (count = 1): void => {
      arrived += count
      onArrival()
    },
    until: async (count: number): Promise<void> => {
      while (arrived < count) await new Promise<void>((resolve) => (onArrival = resolve))
    }
  }
}

/** Sends messages, and waits until they are delivered if the queue delivers. */
const queueing = async (
  open: (onMessage?: () => void) => Promise<Queue>,
  isDelivering: boolean
): Promise<Contender> => {
  const { add, until } = arrivals()
  const { enqueue } = await open(isDelivering ? () => add() : undefined)
  let sent = 0
  return {
    work: async (end) => {
      const calls = await callUntil(end, callers, (n) => enqueue(`Message ${n}`))
      sent += calls
      if (isDelivering) await until(sent)
      return calls
    }
  }
}

const open =
  (storage: ReturnType<typeof sqlite> | ReturnType<typeof postgres>) =>
  async (onMessage?: () => void): Promise<Queue> => {
    const petstore = await createPetstore({ storage, ...(onMessage === undefined ? {} : { onMessage }) })
    return { enqueue: (message) => petstore.messages.enqueue(message) }
  }

const byHand =
  (folder: string) =>
  async (onMessage?: () => void): Promise<Queue> => {
    const database = openDatabase("node:sqlite", join(folder, "queue.db"))
    return { enqueue: queueByHand(database, onMessage && { handle: onMessage, concurrency: 10 }) }
  }

/** The events that a consumer is behind: those of so many orders. */
const orders = 2_000

const filled = async (folder: string): Promise<Petstore> => {
  const petstore = await openFurnished(folder)
  await placeOrders(petstore, orders)
  return petstore
}

/** Catches up with the log again and again. */
const catchingUp = (events: number, catchUp: (round: number) => Promise<void>): Contender => {
  let rounds = 0
  return {
    work: async (end) => {
      const before = rounds
      do await catchUp(++rounds)
      while (performance.now() < end)
      return (rounds - before) * events
    }
  }
}

/** A process that receives webhooks. */
const receiver = async () => {
  const child = fork(fileURLToPath(new URL("receiver.ts", import.meta.url)), [], onCore(clientCore))
  const port = Number(await nextMessage(child, "the receiver"))
  const { add, until } = arrivals()
  child.on("message", (count) => add(Number(count)))
  return { url: `http://127.0.0.1:${port}/`, until }
}

const concurrency = 50

/** Signs an event as Standard Webhooks says, and sends it. */
const sender = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  return (event: string): Promise<void> => {
    const [id, at] = [JSON.parse(event).id, Math.floor(Date.now() / 1_000)]
    const signature = createHmac("sha256", "secret").update(`${id}.${at}.${event}`).digest("base64")
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(event),
      "webhook-id": id,
      "webhook-timestamp": at,
      "webhook-signature": `v1,${signature}`
    }
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", agent, headers }, (response) => {
        response.resume().once("end", resolve)
      })
      sent.once("error", reject).end(event)
    })
  }
}

/** Orders, each of which is sent to a receiver. */
const sending = (place: (n: number) => Promise<unknown>, until: (count: number) => Promise<void>): Contender => {
  let placed = 0
  return {
    work: async (end) => {
      const calls = await callUntil(end, callers, place)
      placed += calls
      await until(placed)
      return calls
    }
  }
}

export const contenders: Contenders = {
  queued: ({ folder }) => queueing(open(sqlite(shopIn(folder))), false),
  "queued by hand": ({ folder }) => queueing(byHand(folder), false),
  delivered: ({ folder }) => queueing(open(sqlite(shopIn(folder))), true),
  "delivered by hand": ({ folder }) => queueing(byHand(folder), true),
  "queued, PostgreSQL": ({ url }) => queueing(open(postgres(url)), false),
  "queued, pg-boss": ({ url }) => queueing(() => pgBoss(url), false),
  "queued, graphile-worker": ({ url }) => queueing(() => graphileWorker(url), false),
  "delivered, PostgreSQL": ({ url }) => queueing(open(postgres(url)), true),
  "delivered, pg-boss": ({ url }) => queueing((onMessage) => pgBoss(url, onMessage), true),
  "delivered, graphile-worker": ({ url }) => queueing((onMessage) => graphileWorker(url, onMessage), true),
  consumer: async ({ folder }) => {
    const petstore = await filled(folder)
    const last = await petstore.events.latest()
    return catchingUp(last, async (round) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const handle = ({ seq }: { readonly seq: number }) => {
        if (seq === last) resolve()
      }
      const consumer = await petstore.events.consume(`bench-${round}`, handle, { after: 0 })
      await promise
      await consumer.close()
    })
  },
  // A page of events, the handler for each, and the position of the consumer in a row of its own.
  "consumer by hand": async ({ folder }) => {
    await (await filled(folder)).close()
    const database = openDatabase("node:sqlite", shopIn(folder))
    database.exec("CREATE TABLE consumers (name TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT")
    const page = prepare<{ readonly seq: number; readonly data: string }>(
      database,
      "SELECT seq, type, data FROM petstore_events WHERE seq > ? ORDER BY seq LIMIT 100"
    )
    const move = prepare(
      database,
      "INSERT INTO consumers VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position"
    )
    const last = Number(
      prepare<{ readonly last: number }>(database, "SELECT max(seq) AS last FROM petstore_events").get()?.last
    )
    return catchingUp(last, async (round) => {
      for (let position = 0; position < last; ) {
        for (const { data, seq } of page.all(position)) {
          JSON.parse(`[${data}`)
          position = seq
        }
        move.run(`bench-${round}`, position)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
  },
  webhooks: async ({ folder }) => {
    const { until, url } = await receiver()
    const petstore = await openFurnished(folder, { webhooks: webhookSender({ allowLoopback: true }) })
    await petstore.webhooks.create({ url, types: ["order.placed"], concurrency })
    return sending((n) => petstore.orders.place({ petId: idOf(n) }), until)
  },
  "webhooks by hand": async ({ folder }) => {
    const { until, url } = await receiver()
    const { database, place } = await furnishedByHand(folder)
    const enqueue = queueByHand(database, { handle: sender(url), concurrency })
    return sending((n) => {
      const order = { petId: idOf(n), quantity: 1 }
      const event = JSON.stringify({
        id: `evt_${n}`,
        type: "order.placed",
        timestamp: new Date().toISOString(),
        data: order
      })
      return enqueue(event, () => place(order.petId))
    }, until)
  }
}
