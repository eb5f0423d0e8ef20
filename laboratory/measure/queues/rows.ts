import { fork } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import { webhookSender } from "@petstore/http/webhooks"
import type { RowGroup } from "../Bench.ts"
import { measureVariants, type Variant } from "../compare.ts"
import { nextMessage } from "../machine/nextMessage.ts"
import { rowOf } from "../report/Row.ts"
import { takeTurns } from "../turns.ts"
import { queueByHand } from "./queueByHand.ts"

const callers = 64

const createCategories = (petstore: Petstore, name: string, count: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let made = caller; made < count; made += callers)
        await petstore.categories.create({ name: `${name} ${made}` })
    })
  )

/** Events a second of some work on all events of a petstore. */
const speedOf = async (petstore: Petstore, work: () => Promise<void>): Promise<number> => {
  const start = performance.now()
  await work()
  return ((await petstore.events.latest()) * 1_000) / (performance.now() - start)
}

/** A durable consumer that is behind, against pages that are read one after the other. */
const consuming: RowGroup = {
  name: "queues",
  measure: async ({ folder, isQuick }) => {
    await using petstore = await createPetstore({ storage: sqlite(join(folder, "consumers.db")) })
    await createCategories(petstore, "Category", isQuick ? 2_000 : 20_000)
    const last = await petstore.events.latest()
    let name = 0
    const consume = async (): Promise<void> => {
      let onLast = () => {}
      const caughtUp = new Promise<void>((resolve) => {
        onLast = resolve
      })
      const handle = ({ seq }: { readonly seq: number }) => {
        if (seq === last) onLast()
      }
      const consumer = await petstore.events.consume(`bench-${++name}`, handle, { after: 0 })
      await caughtUp
      await consumer.close()
    }
    const readPages = async (): Promise<void> => {
      let cursor: string | undefined
      do {
        const page = await petstore.events.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
        cursor = page.next
      } while (cursor !== undefined)
    }
    const { disturbed, results } = await takeTurns(
      isQuick ? 3 : 15,
      [consume, readPages].map((work) => () => speedOf(petstore, work))
    )
    const [ours = [], peer = []] = results
    const peerName = "pages of events.list"
    return [rowOf({ row: "a consumer that is behind, SQLite", unit: "events/s", peerName, ours, peer, disturbed })]
  }
}

/** Webhooks that arrive at a receiver in another process, against the commits of their events. */
const sending: RowGroup = {
  name: "queues",
  measure: async ({ folder, isQuick }) => {
    const receiver = fork(fileURLToPath(new URL("receiver.ts", import.meta.url)))
    try {
      const port = await nextMessage(receiver, "the receiver")
      const storage = sqlite(join(folder, "webhooks.db"))
      await using petstore = await createPetstore({ storage, webhooks: webhookSender({ allowLoopback: true }) })
      await petstore.webhooks.create({ url: `http://127.0.0.1:${port}/`, types: ["category.created"], concurrency: 50 })
      let [arrived, onArrival] = [0, () => {}]
      receiver.on("message", (batch: ReadonlyArray<unknown>) => {
        arrived += batch.length
        onArrival()
      })
      const events = isQuick ? 640 : 3_200
      let round = 0
      const ours: Array<number> = []
      const peer: Array<number> = []
      await takeTurns(isQuick ? 3 : 7, [
        async () => {
          const [start, wanted] = [performance.now(), arrived + events]
          await createCategories(petstore, `Round ${++round},`, events)
          peer.push((events * 1_000) / (performance.now() - start))
          while (arrived < wanted) await new Promise<void>((resolve) => (onArrival = resolve))
          ours.push((events * 1_000) / (performance.now() - start))
        }
      ])
      return [
        rowOf({ row: "webhooks to one receiver, SQLite", unit: "events/s", peerName: "their commits", ours, peer })
      ]
    } finally {
      receiver.kill()
    }
  }
}

/** A queue of messages. */
interface Queue {
  readonly enqueue: (message: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

type OnMessage = (() => void) | undefined

const ourQueue = async (file: string, onMessage: OnMessage): Promise<Queue> => {
  const petstore = await createPetstore({ storage: sqlite(file), ...(onMessage === undefined ? {} : { onMessage }) })
  return { enqueue: (message) => petstore.messages.enqueue(message), close: () => petstore.close() }
}

/** The processor time of a message that is queued, or delivered too, of a queue by hand. */
const queueing = (isDelivered: boolean): RowGroup => ({
  name: "queues",
  measure: async ({ folder, isQuick }) => {
    const messages = isQuick ? 1_600 : 16_000
    const what = isDelivered ? "delivered" : "queued"
    let enqueue: Queue["enqueue"] = () => Promise.resolve()
    const variant = (name: string, open: (file: string, onMessage: OnMessage) => Promise<Queue>): Variant => ({
      name,
      open: async () => {
        let [delivered, onDelivery] = [0, () => {}]
        const count = () => {
          delivered++
          onDelivery()
        }
        const file = join(mkdtempSync(join(folder, `${what}-`)), "queue.db")
        const queue = await open(file, isDelivered ? count : undefined)
        enqueue = queue.enqueue
        return {
          settled: async () => {
            while (isDelivered && delivered < messages) await new Promise<void>((resolve) => (onDelivery = resolve))
          },
          close: queue.close
        }
      }
    })
    const peerName = "a queue by hand"
    const { disturbed, results } = await measureVariants(
      [variant("ours", ourQueue), variant(peerName, async (file, onMessage) => queueByHand(file, onMessage))],
      {
        rounds: isQuick ? 3 : 7,
        units: messages,
        work: async () => {
          await Promise.all(
            Array.from({ length: callers }, async (_, caller) => {
              for (let made = caller; made < messages; made += callers) await enqueue(`Message ${made}`)
            })
          )
        }
      }
    )
    const [ours = [], peer = []] = results.map((samples) => samples.map(({ cpu }) => cpu))
    return [rowOf({ row: `a message that is ${what}, SQLite`, unit: "µs of CPU", peerName, ours, peer, disturbed })]
  }
})

export const queueRows: ReadonlyArray<RowGroup> = [consuming, sending, queueing(false), queueing(true)]
