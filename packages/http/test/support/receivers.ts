import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from "node:net"
import type { WebhookOutcome, WebhookRequest } from "@petstore/core/ports"
import { type WebhookSenderOptions, webhookSender } from "@petstore/http/webhooks"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Certificate } from "../../../adapters/test/support/postgres/certificate.ts"

/** A receiver of webhooks on loopback. */
export interface Receiver {
  readonly port: number
  /** How many connections were made. */
  readonly connections: () => number
  /** Those that are open. */
  readonly sockets: ReadonlySet<Socket>
  /** Ends when a connection was made, or when a number of them were. */
  readonly connected: (count?: number) => Effect.Effect<void>
}

const listening = <S extends NetServer>(server: S, host: string): Effect.Effect<Receiver, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const waiting = new Set<() => void>()
      let connections = 0
      server.on("connection", (socket: Socket) => {
        connections++
        sockets.add(socket)
        socket.on("error", () => {})
        socket.once("close", () => sockets.delete(socket))
        for (const check of waiting) check()
      })
      server.on("tlsClientError", () => {})
      await new Promise<void>((resolve) => server.listen(0, host, resolve))
      const connected = (count = 1) =>
        Effect.callback<void>((resume) => {
          const check = () => connections >= count && resume(Effect.void)
          waiting.add(check)
          check()
          return Effect.sync(() => waiting.delete(check))
        })
      return { port: (server.address() as AddressInfo).port, connections: () => connections, sockets, connected }
    }),
    ({ sockets }) =>
      Effect.promise(async () => {
        const closed = new Promise((resolve) => server.close(resolve))
        for (const socket of sockets) socket.destroy()
        await closed
      })
  )

/** A receiver that speaks HTTP, with this listener. */
export const httpReceiver = (listener: RequestListener, host = "127.0.0.1") =>
  listening<Server>(createHttpServer({ keepAliveTimeout: 60_000 }, listener), host)

/** A receiver that speaks HTTPS, with this certificate and listener. */
export const httpsReceiver = ({ certificate, key }: Certificate, listener: RequestListener) =>
  listening(createHttpsServer({ cert: certificate, key }, listener), "127.0.0.1")

/** A receiver that does anything with its connections. */
export const rawReceiver = (onConnection: (socket: Socket) => void, host = "127.0.0.1") =>
  listening(createNetServer({ allowHalfOpen: true }, onConnection), host)

/** A receiver that sends these bytes once a request has begun to arrive, and then ends the connection or not. */
export const scriptedReceiver = (bytes: string | Uint8Array, ending: "end" | "reset" | "stay" = "stay") =>
  rawReceiver((socket) => {
    socket.once("data", () => {
      socket.write(bytes, () => {
        if (ending === "end") socket.end()
        if (ending === "reset") socket.resetAndDestroy()
      })
    })
  })

/** Ends when the sender has ended a connection. */
export const ended = (socket: Socket): Promise<unknown> =>
  socket.readableEnded || socket.destroyed
    ? Promise.resolve()
    : new Promise((resolve) => socket.resume().once("end", resolve).once("close", resolve))

/** What arrived at a receiver. */
export const textOf = async (request: IncomingMessage): Promise<string> => {
  request.setEncoding("utf8")
  let text = ""
  for await (const chunk of request) text += chunk
  return text
}

/** A secret of Standard Webhooks that contains a word to search for. */
export const secretCanary = "c2VjcmV0Y2FuYXJ5c2VjcmV0Y2FuYXJ5"

export const secret = `whsec_${secretCanary}`

/** An event as a body, with a word to search for. */
export const bodyWith = (note = "bodycanary"): string =>
  JSON.stringify({
    id: "evt_1",
    type: "message.queued",
    timestamp: "2026-11-22T12:00:00.000Z",
    seq: 1,
    subject: "messages/msg_1",
    data: { id: "msg_1", message: note, status: "queued", createdAt: "2026-11-22T12:00:00.000Z" }
  })

/** A webhook to a URL. */
export const webhookTo = (url: string, changes: Partial<WebhookRequest> = {}): WebhookRequest => ({
  webhookId: 1,
  url,
  id: "evt_1",
  timestamp: Math.floor(Date.now() / 1000),
  secrets: [Redacted.make(secret)],
  body: bodyWith(),
  timeout: 15_000,
  ...changes
})

/** The outcome of one webhook to a URL, with a sender of its own. */
export const sendTo = (
  url: string,
  options: WebhookSenderOptions = { allowLoopback: true },
  changes?: Partial<WebhookRequest>
): Effect.Effect<WebhookOutcome> => webhookSender(options).send(webhookTo(url, changes))
