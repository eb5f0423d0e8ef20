// From the commit of a change to a receiver of webhooks on loopback, in another process: how long it takes while little happens,
// also beside 100 endpoints that hang, and how many events a second arrive while callers make changes as fast as they can.

import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, memory, type PetstoreOptions } from "@petstore/core"
import { webhookSender } from "@petstore/http/webhooks"
import { printHeader, printRow } from "./compare.ts"

const delays = 300
const events = 3_000
const callers = 64
const hanging = 100

const now = (): number => performance.timeOrigin + performance.now()

/** What the receiver reports: the id of an event, and when its request was complete. */
type Arrival = readonly [id: string, at: number]

const receiver = fork(fileURLToPath(new URL("webhooks/receiver.ts", import.meta.url)), {
  execArgv: ["--conditions=@petstore/source"]
})
const port = await new Promise<unknown>((resolve) => receiver.once("message", resolve))

const quantile = (numbers: ReadonlyArray<number>, share: number): string => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return `${(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1)} ms`
}

const measure = async (name: string, storage: PetstoreOptions["storage"] & object, concurrency: number) => {
  await using petstore = await createPetstore({ storage, webhooks: webhookSender({ allowLoopback: true }) })
  await petstore.webhooks.create({ url: `http://127.0.0.1:${port}/`, types: ["category.created"], concurrency })
  const arrivals = new Map<string, number>()
  let onArrival = () => {}
  const onMessage = (batch: unknown) => {
    for (const [id, at] of batch as ReadonlyArray<Arrival>) arrivals.set(id, at)
    onArrival()
  }
  receiver.on("message", onMessage)
  const arrived = async (count: number) => {
    while (arrivals.size < count) await new Promise<void>((resolve) => (onArrival = resolve))
  }
  const commits = new Map<string, number>()

  for (let count = 0; count < delays; count++) {
    await petstore.categories.create({ name: `Category ${count}` })
    commits.set(String(count), now())
    await arrived(count + 1)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const times = [...arrivals.values()]
  const waits = [...commits.values()].map((at, index) => (times[index] ?? Number.NaN) - at)
  printRow(`${name}: commit to receiver, median`, quantile(waits, 0.5))
  printRow(`${name}: commit to receiver, p99`, quantile(waits, 0.99))

  const start = now()
  const perCaller = Math.ceil(events / callers)
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let count = 0; count < perCaller; count++) {
        await petstore.categories.create({ name: `Category ${caller} ${count} of many` })
      }
    })
  )
  const committed = now()
  const total = callers * perCaller
  await arrived(delays + total)
  const end = Math.max(...arrivals.values())
  const rate = (millis: number): number => Math.round(total / (millis / 1000))
  const [arrivedRate, committedRate] = [rate(end - start), rate(committed - start)]
  printRow(`${name}: committed by ${callers} callers`, `${committedRate} events/s`)
  printRow(`${name}: arrived`, `${arrivedRate} events/s`, (arrivedRate / committedRate).toFixed(2))
  receiver.off("message", onMessage)
}

/** How long an event takes to an endpoint while others hang, each with all the attempts that it may have, and its queue grows. */
const measureBesideHanging = async (storage: PetstoreOptions["storage"] & object) => {
  const sockets = new Set<Socket>()
  const dead = createServer((socket) => sockets.add(socket.on("error", () => {})))
  await new Promise<void>((resolve) => dead.listen(0, "127.0.0.1", resolve))
  const { port: deadPort } = dead.address() as AddressInfo
  await using petstore = await createPetstore({ storage, webhooks: webhookSender({ allowLoopback: true }) })
  const types = ["category.created"] as const
  for (let count = 0; count < hanging; count++) {
    await petstore.webhooks.create({ url: `http://127.0.0.1:${deadPort}/`, types, concurrency: 100 })
  }
  for (let count = 0; count < 100; count++) await petstore.categories.create({ name: `Backlog ${count}` })
  while (sockets.size < hanging) await new Promise((resolve) => setTimeout(resolve, 10))
  await petstore.webhooks.create({ url: `http://127.0.0.1:${port}/`, types })
  const arrivals: Array<number> = []
  let onArrival = () => {}
  const onMessage = (batch: unknown) => {
    for (const [, at] of batch as ReadonlyArray<Arrival>) arrivals.push(at)
    onArrival()
  }
  receiver.on("message", onMessage)
  const waits: Array<number> = []
  for (let count = 0; count < delays; count++) {
    await petstore.categories.create({ name: `Category ${count}` })
    const committed = now()
    while (arrivals.length <= count) await new Promise<void>((resolve) => (onArrival = resolve))
    waits.push((arrivals[count] ?? Number.NaN) - committed)
  }
  receiver.off("message", onMessage)
  printRow(`beside ${hanging} endpoints that hang: commit to receiver, median`, quantile(waits, 0.5))
  printRow(`beside ${hanging} endpoints that hang: commit to receiver, p99`, quantile(waits, 0.99))
  for (const socket of sockets) socket.destroy()
  dead.close()
}

printHeader("median, p99, rate")
const folder = mkdtempSync(join(tmpdir(), "petstore-webhooks-"))
try {
  await measureBesideHanging(sqlite(join(folder, "hanging.db")))
  for (const concurrency of [10, 50]) {
    await measure(`memory, concurrency ${concurrency}`, memory(), concurrency)
    await measure(`SQLite, concurrency ${concurrency}`, sqlite(join(folder, `${concurrency}.db`)), concurrency)
  }
} finally {
  receiver.kill()
  rmSync(folder, { recursive: true })
}
