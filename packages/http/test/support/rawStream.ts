import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"

/** A raw request for a stream, whose response is read when the test says so. */
export const rawStream = (port: number, key: string, query = "", lastEventId?: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = await new Promise<Socket>((resolve) => {
        const opened = connect(port, "127.0.0.1", () => resolve(opened))
      })
      let text = ""
      let recent = ""
      let isClosed = false
      socket.setEncoding("utf8").pause()
      socket.on("data", (piece: string) => {
        text += piece
        recent = (recent + piece).slice(-10_000)
      })
      socket
        .on("error", () => {})
        .on("close", () => {
          isClosed = true
        })
      const position = lastEventId === undefined ? "" : `Last-Event-ID: ${lastEventId}\r\n`
      socket.write(
        `GET /v1/events/stream${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${position}\r\n`
      )
      return {
        read: () => socket.resume(),
        text: () => text,
        /** The last 10,000 characters, at a lower cost than all. */
        recent: () => recent,
        isClosed: () => isClosed,
        close: () => socket.destroy()
      }
    }),
    ({ close }) => Effect.sync(close)
  )
