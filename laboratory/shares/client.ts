// The process of clients: `node client.ts PORT KEY...`. Each message says what they do for some seconds; the reply is what came of it.

import type { Socket } from "node:net"
import type { Load } from "../load/requests.ts"
import { onResponses, openSocket, sendLoad } from "../load/sendLoad.ts"
import { type AttackName, attacks, type Repeated } from "./attacks.ts"

/** Clients that use a shop: at a rate over their keys, or one request after the other. */
export interface Use extends Pick<Load, "connections" | "pets" | "rate" | "seconds"> {
  readonly kind: "use"
  /** How many keys. */
  readonly of: number
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
  readonly refused: number
}

export interface Attacked {
  readonly rate: number
  readonly statuses: Readonly<Record<string, number>>
}

const [, , address = "", ...keys] = process.argv
const port = Number(address)

/** The first key of the next turn. */
let first = 0

const use = async ({ of, ...load }: Use): Promise<Used> => {
  const used = [...keys, ...keys].slice(first, first + of)
  first = (first + of) % keys.length
  const { p50, p99, refused, responses, seconds } = await sendLoad({ ...load, mix: "mixed", port, keys: used }, false)
  return { rate: responses / seconds, p50, p99, refused }
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
    const socket = await openSocket(port)
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
    const socket = await openSocket(port)
    sockets.add(socket)
    onResponses(socket, (response) => {
      count(response.slice(9, 12))
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
