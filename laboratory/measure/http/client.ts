// The process of clients. Each message is a `Load`; the reply is its `LoadResult`. Sockets are used directly, so that the
// clients cost little beside the servers.

import { connect, type Socket } from "node:net"
import { quantile } from "../statistics.ts"
import type { Load, LoadResult } from "./Load.ts"
import { isWhole, type RequestSource, requestSource } from "./requests.ts"

/** Sends one request at a time on one connection. */
class Client {
  readonly socket: Socket
  private readonly source: RequestSource
  private readonly onResponse: (client: Client) => void
  private pending = ""
  /** When the current request was due. */
  due = 0

  constructor(socket: Socket, source: RequestSource, onResponse: (client: Client) => void) {
    this.socket = socket.setNoDelay().setEncoding("latin1")
    this.source = source
    this.onResponse = onResponse
    socket.on("data", (text: string) => this.receive(text))
  }

  send(due: number): void {
    this.due = due
    this.socket.write(this.source.next())
  }

  private receive(text: string): void {
    this.pending += text
    if (!isWhole(this.pending)) return
    if (!this.pending.startsWith("HTTP/1.1 20")) throw new Error(this.pending)
    this.source.received?.(this.pending)
    this.pending = ""
    this.onResponse(this)
  }
}

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket)).once("error", reject)
  })

const run = async (load: Load): Promise<LoadResult> => {
  const { connections, port, rate, seconds } = load
  const latencies: Array<number> = []
  const idle: Array<Client> = []
  const waiting: Array<number> = []
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  let running = true
  const onResponse = (client: Client): void => {
    const now = performance.now()
    if (!running) return
    latencies.push(now - client.due)
    if (rate === undefined) client.send(now)
    else {
      const due = waiting.shift()
      if (due === undefined) idle.push(client)
      else client.send(due)
    }
  }
  const clients = sockets.map((socket, index) => new Client(socket, requestSource(load, index), onResponse))
  const start = performance.now()
  if (rate === undefined) for (const client of clients) client.send(performance.now())
  else idle.push(...clients)
  const end = start + seconds * 1_000
  let scheduled = 0
  // A timer would be late by a millisecond: the clients have a core of their own, and use it.
  const tick = (done: () => void): void => {
    const now = performance.now()
    if (now >= end) {
      done()
      return
    }
    while (rate !== undefined && start + (scheduled * 1_000) / rate <= now) {
      const due = start + (scheduled++ * 1_000) / rate
      const client = idle.pop()
      if (client === undefined) waiting.push(due)
      else client.send(due)
    }
    if (rate === undefined) setTimeout(done, end - now)
    else setImmediate(tick, done)
  }
  await new Promise<void>((resolve) => tick(resolve))
  running = false
  const took = (performance.now() - start) / 1_000
  // What has waited until now counts with what it has waited.
  const unanswered = rate === undefined ? [] : waiting.map((due) => performance.now() - due)
  for (const { socket } of clients) socket.destroy()
  const all = [...latencies, ...unanswered]
  return { responses: latencies.length, seconds: took, p50: quantile(all, 0.5), p99: quantile(all, 0.99) }
}

process.on("message", (load) => {
  run(load as Load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) })
  )
})
process.once("disconnect", () => process.exit())
