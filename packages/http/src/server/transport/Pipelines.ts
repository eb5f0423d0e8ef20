import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { used } from "./appObjects.ts"

/** How many requests without valid credentials may wait behind others of their connection. Browsers and proxies send one at a time. */
const waitingLimit = 64

/** A connection on which requests came before the responses to earlier ones were sent. */
interface Pipeline {
  isTrusted: boolean
  /** Those that were waiting when they came. */
  waiting: Array<ServerResponse>
}

const isWaiting = (response: ServerResponse): boolean => !(used(response.destroyed) || used(response.writableFinished))

/**
 * The connections to a server of the host application on which more than one request waits. node:http parses all that has arrived, 64 KiB at
 * a time, of which each can hold 3,600 requests.
 */
export class Pipelines {
  private readonly all = new WeakMap<Socket, Pipeline>()
  /** Those of which nothing else is taken. */
  private readonly closed = new WeakSet<Socket>()

  isClosed(socket: Socket): boolean {
    return this.closed.has(socket)
  }

  /** What else has arrived on the connection has no effect. */
  close(socket: Socket): void {
    this.closed.add(socket)
  }

  /** Registers a request. Returns whether it is one too many. */
  isExcess(socket: Socket, response: ServerResponse): boolean {
    // It has its socket already if it is the next one that is sent. Objects that stand for those of node:http may have none.
    if (used(response.socket) !== null || typeof socket !== "object") return false
    const pipeline = this.all.get(socket) ?? { isTrusted: false, waiting: [] }
    this.all.set(socket, pipeline)
    if (pipeline.isTrusted) return false
    pipeline.waiting.push(response)
    if (pipeline.waiting.length <= waitingLimit) return false
    pipeline.waiting = pipeline.waiting.filter(isWaiting)
    return pipeline.waiting.length > waitingLimit
  }

  /** Marks the connection as one whose client has valid credentials. */
  trust(socket: Socket): void {
    const pipeline = this.all.get(socket)
    if (pipeline === undefined) return
    pipeline.isTrusted = true
    pipeline.waiting = []
  }
}
