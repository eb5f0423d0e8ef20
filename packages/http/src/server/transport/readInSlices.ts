import type { Socket } from "node:net"
import type { Connection } from "./Connection.ts"

/** How many requests on a connection may be parsed and have no response, before the rest is read. */
const unsentLimit = 8
/** How many bytes are parsed at once if the client has valid credentials. */
const trustedSlice = 1_024
/** How many bytes are parsed at once of other clients: 14 of the shortest requests. */
const slice = 256

/**
 * Parses what arrives on a connection a slice at a time, and reads on once there are responses. node:http would parse all that has
 * arrived, of which each 64 KiB can hold 3,600 requests, and takes 2 KB of memory for each until its response is sent.
 *
 * `isCrowded`: whether so many requests wait that each connection may have only one.
 */
export const readInSlices = (socket: Socket, connection: Connection, isCrowded: () => boolean): void => {
  const [parse] = socket.listeners("data")
  if (parse === undefined) return
  const isFull = (): boolean => connection.mayPause && connection.unsent >= (isCrowded() ? 1 : unsentLimit)
  let isHeld = false
  const readOn = (): void => {
    if (!isHeld) return
    if (isFull()) {
      connection.firstUnsent?.once("close", readOn)
    } else {
      isHeld = false
      socket.resume()
    }
  }
  const hold = (): void => {
    socket.pause()
    if (isHeld) return
    isHeld = true
    readOn()
  }
  socket.removeAllListeners("data")
  // With a listener, node:http no longer reads the socket on its own.
  socket.on("data", (chunk: Buffer) => {
    let at = 0
    while (at < chunk.length && !connection.isDeaf) {
      // node:http pauses it too, while responses or bodies wait, and must then be the one that resumes it.
      if (!socket.isPaused() && isFull()) hold()
      if (socket.isPaused()) {
        socket.unshift(chunk.subarray(at))
        return
      }
      isHeld = false
      const end = at + (connection.isTrusted ? trustedSlice : slice)
      Reflect.apply(parse, socket, [chunk.subarray(at, end)])
      at = end
    }
  })
}
