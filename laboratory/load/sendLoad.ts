// Sockets are used directly, so that clients cost little beside the servers.

import { connect, type Socket } from "node:net"
import { quantile } from "../measure/statistics.ts"
import { type Load, requestSource } from "./requests.ts"

export interface LoadResult {
  readonly responses: number
  readonly seconds: number
  /** Milliseconds until a response, from when its request was due: the median and the 99th percentile. */
  readonly p50: number
  readonly p99: number
  /** How many other responses than of a success there were, and the first of them. */
  readonly refused: number
  readonly refusal: string | undefined
}

export const openSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.setNoDelay().setEncoding("latin1")))
    socket.once("error", reject)
  })

/** Whether a text is a whole response with the length that its head states. */
const isWhole = (text: string): boolean => {
  const head = text.indexOf("\r\n\r\n")
  if (head === -1) return false
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
  return text.length >= head + 4 + length
}

/** Calls a function with each response on a connection, which has one at a time. */
export const onResponses = (socket: Socket, onResponse: (response: string) => void): void => {
  let pending = ""
  socket.on("data", (text: string) => {
    pending += text
    if (!isWhole(pending)) return
    const response = pending
    pending = ""
    onResponse(response)
  })
}

/**
 * Sends requests, one at a time on each connection. `hasCore`: whether it has a core of its own, and uses it to be in time, since a timer
 * would be late by a millisecond.
 */
export const sendLoad = async (load: Load, hasCore: boolean): Promise<LoadResult> => {
  const { connections, port, rate, seconds } = load
  const latencies: Array<number> = []
  const idle: Array<(due: number) => void> = []
  const waiting: Array<number> = []
  let [isOver, refused, refusal]: [boolean, number, string | undefined] = [false, 0, undefined]
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const senders = sockets.map((socket, index) => {
    const source = requestSource(load, index)
    let due = 0
    const send = (at: number): void => {
      due = at
      socket.write(source.next())
    }
    onResponses(socket, (response) => {
      const now = performance.now()
      if (isOver) return
      if (response.startsWith("HTTP/1.1 20")) latencies.push(now - due)
      else if (refused++ === 0) refusal = response
      source.received?.(response)
      if (rate === undefined) return send(now)
      const next = waiting.shift()
      if (next === undefined) idle.push(send)
      else send(next)
    })
    return send
  })
  const start = performance.now()
  if (rate === undefined) for (const send of senders) send(performance.now())
  else idle.push(...senders)
  const end = start + seconds * 1_000
  let scheduled = 0
  const tick = (done: () => void): void => {
    const now = performance.now()
    if (now >= end) {
      done()
      return
    }
    while (rate !== undefined && start + (scheduled * 1_000) / rate <= now) {
      const due = start + (scheduled++ * 1_000) / rate
      // The one that has waited longest, so that all keys are used.
      const send = idle.shift()
      if (send === undefined) waiting.push(due)
      else send(due)
    }
    if (rate === undefined) setTimeout(done, end - now)
    else if (hasCore) setImmediate(tick, done)
    else setTimeout(tick, 1, done)
  }
  await new Promise<void>((resolve) => tick(resolve))
  isOver = true
  const took = (performance.now() - start) / 1_000
  for (const socket of sockets) socket.destroy()
  // What has waited until now counts with what it has waited.
  const all = [...latencies, ...waiting.map((due) => performance.now() - due)]
  return {
    responses: latencies.length,
    seconds: took,
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
    refused,
    refusal
  }
}
