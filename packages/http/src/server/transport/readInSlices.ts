import type { Socket } from "node:net"
import type { TimeSlicedQueue } from "../limits/TimeSlicedQueue.ts"
import type { WorkShares } from "../limits/WorkShares.ts"
import type { Connection } from "./Connection.ts"

/** How many requests of a client with valid credentials may be parsed and have no response before the rest is read; of others, one. */
const unsentLimit = 8
/** How many bytes are parsed at once if the client has valid credentials. */
const trustedSliceBytes = 1_024
/** How many bytes are parsed at once of other clients, at most: their headers end a slice. */
const sliceBytes = 256
const endOfHeaders = "\r\n\r\n"

/** The first request of a connection counts as this many, because opening and closing one costs more than a request. */
const costOfFirst = 4
/** A slice of a body counts as this many: to receive it takes longer than to parse it, and it is one of many. */
const costOfBody = 8

/** What decides when a connection is read. */
export interface ReadingOptions {
  readonly queue: TimeSlicedQueue
  readonly shares: WorkShares
  /** Whether requests wait in such a number that each connection may have only one. */
  readonly isCrowded: () => boolean
  /** Whether this is the target of a health check. */
  readonly isProbe: (target: string | undefined) => boolean
}

const endOfSlice = ({ isTrusted }: Connection, chunk: Buffer, at: number): number => {
  if (isTrusted) return at + trustedSliceBytes
  const end = chunk.subarray(at, at + sliceBytes).indexOf(endOfHeaders)
  return at + (end === -1 ? sliceBytes : end + endOfHeaders.length)
}

const costOf = ({ callerId, callerOfBody }: Connection): number => {
  if (callerId === undefined) return costOfFirst
  return callerOfBody === undefined ? 1 : costOfBody
}

/**
 * Parses what arrives on a connection a slice at a time: now if there is time, else when it is the turn of the connection, and no further
 * until there are responses and their client has taken them. node:http would parse all that has arrived, of which each 64 KiB can hold
 * 3,600 requests, and takes 2 KB of memory for each until its response is sent.
 */
export const readInSlices = (
  socket: Socket,
  connection: Connection,
  { isCrowded, isProbe, queue, shares }: ReadingOptions
): void => {
  const [parse] = socket.listeners("data")
  if (parse === undefined) return
  const isFull = (): boolean =>
    // A body is read on, unless other requests are before its own.
    connection.unsent > (connection.mayPause ? 0 : 1) &&
    (socket.writableNeedDrain || connection.unsent >= (connection.isTrusted && !isCrowded() ? unsentLimit : 1))
  const isUrgent = (chunk: Buffer): boolean =>
    connection.mayProbe && isProbe(chunk.toString("latin1", 0, sliceBytes).split(" ", 2)[1])
  /** Whose turn it has to wait for, because their bodies take more than their share. */
  const debtor = (): number | string | undefined => {
    const id = connection.callerOfBody
    return id !== undefined && shares.mustWait(id) ? id : undefined
  }
  /** Whether this has paused the socket. */
  let isHeld = false
  let isTurn = false
  const readOn = (): void => {
    if (socket.destroyed) return
    const id = debtor()
    if (id !== undefined) shares.defer(id, takeTurn)
    else if (isFull()) connection.firstUnsent?.once("close", readOn)
    else if (queue.isFree()) takeTurn()
    else queue.add(takeTurn, connection)
  }
  const counted = (work: () => void): void => shares.measure(work, () => connection.callerId, costOf(connection))
  // Emits `data`, whose listener parses a slice and puts the rest back.
  const readSlice = (): void => void socket.read(Math.min(socket.readableLength, trustedSliceBytes))
  const takeTurn = (): void => {
    if (socket.destroyed) return
    do {
      isTurn = true
      counted(readSlice)
      isTurn = false
    } while (socket.readableLength > 0 && !isFull() && queue.isFree() && debtor() === undefined)
    if (socket.readableLength > 0) {
      readOn()
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
      if (!isTurn) {
        // node:http pauses it too, while responses or bodies wait, and must then be the one that resumes it.
        if (
          !socket.isPaused() &&
          (isFull() || debtor() !== undefined || !(queue.isFree() || isUrgent(chunk.subarray(at))))
        )
          hold()
        if (socket.isPaused()) {
          socket.unshift(chunk.subarray(at))
          return
        }
      }
      isTurn = false
      const end = endOfSlice(connection, chunk, at)
      counted(() => Reflect.apply(parse, socket, [chunk.subarray(at, end)]))
      at = end
    }
  })
}
