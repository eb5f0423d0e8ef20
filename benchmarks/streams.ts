// Server-Sent Events of one server on SQLite: events per second and delay from commit to client, and the memory of 1,000 streams.
// The server commits by itself in a process of its own; the clients are in this one.

import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { printHeader, printRow } from "./compare.ts"

const key = "an-admin-key-for-this-benchmark"

/** The time in milliseconds, comparable between processes of one machine. */
const now = (): number => performance.timeOrigin + performance.now()

interface Job {
  readonly orders: number
  readonly atOnce: number
  /** Milliseconds between orders. */
  readonly pause: number
}

const serve = async (file: string): Promise<void> => {
  const petstore = await createPetstore({ storage: sqlite(file) })
  const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
  const { id: petId } = await petstore.pets.create({ name: "Guppy", categoryId })
  await petstore.inventory.set(petId, 1_000_000)
  const handler = createHandler(petstore, { adminKey: key })
  const server = createServer(handler.node)
  const work = async ({ atOnce, orders, pause }: Job) => {
    const first = await petstore.events.latest()
    const committed: Array<number> = []
    const before = process.cpuUsage()
    for (let placed = 0; placed < orders; placed += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, () => petstore.orders.place({ petId })))
      committed.push(now())
      if (pause > 0) await new Promise((done) => setTimeout(done, pause))
    }
    const { system, user } = process.cpuUsage(before)
    return { first, last: await petstore.events.latest(), committed, cpu: (system + user) / orders }
  }
  process.on("message", (job: Job | "memory") => {
    if (job === "memory") {
      globalThis.gc?.()
      globalThis.gc?.()
      process.send?.(process.memoryUsage().rss)
    } else work(job).then((done) => process.send?.(done))
  })
  server.listen(0, "127.0.0.1", 4_096, () => process.send?.((server.address() as AddressInfo).port))
}

const [, program = "", file] = process.argv
if (file !== undefined) await serve(file)
else {
  const folder = mkdtempSync(join(tmpdir(), "petstore-streams-"))
  const child = fork(program, [join(folder, "petstore.db")], {
    execArgv: ["--conditions=@petstore/source", "--expose-gc"]
  })
  const answer = <A>() => new Promise<A>((resolve) => child.once("message", (message) => resolve(message as A)))
  const port = await answer<number>()
  const ask = <A>(job: Job | "memory") => {
    const answered = answer<A>()
    child.send(job)
    return answered
  }

  const open = (onSeq: (seq: number) => void): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` }
      request({ port, host: "127.0.0.1", path: "/v1/events/stream", headers, agent: false }, (response) => {
        let rest = ""
        response.setEncoding("utf8").on("data", (text: string) => {
          const lines = (rest + text).split("\n")
          rest = lines.pop() ?? ""
          for (const line of lines) if (line.startsWith("id: ")) onSeq(Number(line.slice(4)))
        })
        if (response.statusCode === 200) resolve(response)
        else reject(new Error(`The stream was rejected with ${response.statusCode}`))
      })
        .on("error", reject)
        .end()
    })

  const quantile = (values: ReadonlyArray<number>, part: number): string =>
    (values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0).toFixed(1)

  interface Done {
    readonly first: number
    readonly last: number
    readonly committed: ReadonlyArray<number>
    readonly cpu: number
  }

  const streams: Array<IncomingMessage> = []
  const arrivals: Array<Map<number, number>> = []
  const grow = async (count: number) => {
    while (streams.length < count) {
      const seen = new Map<number, number>()
      arrivals.push(seen)
      streams.push(await open((seq) => seen.set(seq, now())))
    }
  }
  const received = async (last: number) => {
    while (arrivals.some((seen) => !seen.has(last))) await new Promise((done) => setTimeout(done, 1))
  }

  printHeader("delay, rate, CPU")
  await ask<Done>({ orders: 640, atOnce: 64, pause: 0 })
  const idle = await ask<Done>({ orders: 6_400, atOnce: 64, pause: 0 })
  const memoryBefore = await ask<number>("memory")
  for (const count of [1, 100, 1_000]) {
    await grow(count)
    const quiet = await ask<Done>({ orders: 200, atOnce: 1, pause: 5 })
    await received(quiet.last)
    const delays = arrivals.flatMap((seen) =>
      quiet.committed.map((committed, index) => (seen.get(quiet.first + 2 * (index + 1)) ?? 0) - committed)
    )
    const begin = now()
    const busy = await ask<Done>({ orders: count === 1_000 ? 640 : 6_400, atOnce: 64, pause: 0 })
    await received(busy.last)
    const seconds = (now() - begin) / 1_000
    for (const seen of arrivals) {
      let expected = busy.first
      for (const seq of seen.keys())
        if (seq > busy.first && seq !== ++expected) throw new Error(`${seq} after ${expected}`)
      seen.clear()
    }
    const events = busy.last - busy.first
    printRow(`${count} streams: delay, median`, `${quantile(delays, 0.5)} ms`)
    printRow(`${count} streams: delay, p99`, `${quantile(delays, 0.99)} ms`)
    printRow(`${count} streams: to each`, `${Math.round(events / seconds)} events/s`)
    printRow(`${count} streams: in all`, `${Math.round((events * count) / seconds)} events/s`)
    printRow(
      `${count} streams: CPU of an order while placing`,
      `${Math.round(busy.cpu)} us`,
      (busy.cpu / idle.cpu).toFixed(2)
    )
  }
  const memoryAfter = await ask<number>("memory")
  const megabytes = Math.round((memoryAfter - memoryBefore) / 1024 / 1024)
  printRow("1000 streams: more memory", `${megabytes} MB`, "", "<= 100")
  for (const stream of streams) stream.destroy()
  child.kill()
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}
