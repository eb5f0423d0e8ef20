// The process of clients: `node client.ts PORT KEY...`. Each message says what they do for some seconds; the reply is what came of it.

import { connect, type Socket } from "node:net"
import { isWhole, requestSource } from "../measure/http/requests.ts"
import { quantile } from "../measure/statistics.ts"
import { type AttackName, attacks, type Repeated } from "./attacks.ts"

/** Clients that use a shop: at a rate over their keys, or one request after the other. */
export interface Use {
  readonly kind: "use"
  readonly pets: number
  readonly seconds: number
  readonly connections: number
  /** How many keys. */
  readonly of: number
  /** Requests a second of all keys; undefined to send the next one with each response. */
  readonly rate?: number | undefined
}

/** A client with one key that sends what costs much, for as long as nobody says `stop`. */
export interface Attack {
  readonly kind: "attack"
  readonly name: AttackName
  readonly latest: number
  readonly connections: number
}

export interface Used {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

export interface Attacked {
  readonly rate: number
  readonly statuses: Readonly<Record<string, number>>
}

const [, , port = "", ...keys] = process.argv

const open = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => resolve(socket.setNoDelay().setEncoding("latin1")))
    socket.once("error", reject)
  })

/** Collects responses that have a length. */
class Responses {
  private pending = ""
  private readonly onResponse: (status: string) => void

  constructor(socket: Socket, onResponse: (status: string) => void) {
    this.onResponse = onResponse
    socket.on("data", (text: string) => this.receive(text))
  }

  private receive(text: string): void {
    this.pending += text
    if (!isWhole(this.pending)) return
    const status = this.pending.slice(9, 12)
    this.pending = ""
    this.onResponse(status)
  }
}

/** The first key of the next turn. */
let first = 0

const use = async ({ connections, of, pets, rate, seconds }: Use): Promise<Used> => {
  const sockets = await Promise.all(Array.from({ length: connections }, open))
  const used = [...keys, ...keys].slice(first, first + of)
  first = (first + of) % keys.length
  const taken: Array<number> = []
  let failed = 0
  const waiting: Array<number> = []
  const idle: Array<(due: number) => void> = []
  const start = performance.now()
  let isOver = false
  sockets.forEach((socket, index) => {
    const key = used[index % used.length] ?? ""
    const source = requestSource({ key, mix: "mixed", pets, port: Number(port), connections, seconds }, index)
    let due = 0
    const send = (at: number): void => {
      due = at
      socket.write(source.next())
    }
    new Responses(socket, (status) => {
      if (isOver) return
      const now = performance.now()
      if (status.startsWith("20")) taken.push(now - due)
      else failed++
      if (rate === undefined) return send(now)
      const next = waiting.shift()
      if (next === undefined) idle.push(send)
      else send(next)
    })
    if (rate === undefined) send(start)
    else idle.push(send)
  })
  let sent = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      while (rate !== undefined && start + (sent * 1_000) / rate <= now) {
        const due = start + (sent++ * 1_000) / rate
        const send = idle.shift()
        if (send === undefined) waiting.push(due)
        else send(due)
      }
      if (now - start < seconds * 1_000) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  isOver = true
  const passed = (performance.now() - start) / 1_000
  for (const socket of sockets) socket.destroy()
  // What has waited until now counts with what it has waited.
  const all = [...taken, ...waiting.map((due) => performance.now() - due)]
  return { rate: taken.length / passed, p50: quantile(all, 0.5), p99: quantile(all, 0.99), failed }
}

const attack = async ({ connections, latest, name }: Attack, stopped: Promise<void>): Promise<Attacked> => {
  const { request, until } = attacks[name](latest) as Repeated
  const text = Buffer.from(request.replace("\r\n", `\r\nAuthorization: Bearer ${keys[0]}\r\n`))
  const statuses: Record<string, number> = {}
  let isOver = false
  const sockets = new Set<Socket>()
  const count = (status: string): void => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  const follow = async (end: string): Promise<void> => {
    const socket = await open()
    sockets.add(socket)
    let tail = ""
    let isNew = true
    socket.on("data", (received: string) => {
      if (isNew) count(received.slice(9, 12))
      isNew = false
      tail = (tail + received).slice(-200)
      if (tail.includes(end)) {
        count("read")
        socket.destroy()
      }
    })
    await new Promise((resolve) => socket.once("close", resolve).write(text))
    sockets.delete(socket)
    if (!isOver) await follow(end)
  }
  const start = performance.now()
  for (let index = 0; index < connections; index++) {
    if (until !== undefined) {
      follow(until).catch(() => {})
      continue
    }
    const socket = await open()
    sockets.add(socket)
    new Responses(socket, (status) => {
      count(status)
      if (!isOver) socket.write(text)
    })
    socket.on("error", () => {}).write(text)
  }
  process.send?.("begun")
  await stopped
  isOver = true
  const passed = (performance.now() - start) / 1_000
  for (const socket of sockets) socket.destroy()
  const all = Object.values(statuses).reduce((sum, one) => sum + one, 0)
  return { rate: all / passed, statuses }
}

let stop = (): void => {}
process.on("message", (message: Use | Attack | "stop") => {
  if (message === "stop") return stop()
  const done = message.kind === "use" ? use(message) : attack(message, new Promise((resolve) => (stop = resolve)))
  done.then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    }
  )
})
process.once("disconnect", () => process.exit())
