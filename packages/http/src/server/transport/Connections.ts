import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { ResponseThrottle } from "../limits/ResponseThrottle.ts"
import { Connection } from "./Connection.ts"

/** How many connections are searched for one that can be closed in favour of a new one. */
const searchedConnections = 64

/** The open connections of a server. */
export class Connections {
  private readonly all = new Map<Duplex, Connection>()
  /** Those that have not shown valid credentials, oldest first. */
  private readonly untrusted = new Set<Connection>()
  private readonly responses = new ResponseThrottle()
  private readonly limit: number
  private opened = 0

  /** `limit`: how many connections may be open. Beyond it, one without valid credentials is closed for a new one. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** How many connections were opened so far. */
  get count(): number {
    return this.opened
  }

  /** Registers a new connection, or closes it and returns undefined if there is no room for it. */
  readonly open = (socket: Socket): Connection | undefined => {
    this.opened++
    if (this.all.size >= this.limit && !this.makeRoom()) {
      socket.destroy()
      return undefined
    }
    const connection = this.of(socket)
    // Node.js calls this to close a connection after its last response.
    socket.destroySoon = () => connection.end()
    return connection
  }

  /** Returns the connection of a socket. */
  of(socket: Duplex): Connection {
    const known = this.all.get(socket)
    if (known !== undefined) return known
    const connection = new Connection(socket, this.responses, { trusted: (own) => this.untrusted.delete(own) })
    this.all.set(socket, connection)
    this.untrusted.add(connection)
    socket.once("close", () => {
      this.all.delete(socket)
      this.untrusted.delete(connection)
    })
    return connection
  }

  /** Sends all delayed responses, each as the last of its connection. */
  sendDelayed(): void {
    this.responses.sendAll()
  }

  /** Closes connections without a pending request on which nothing has come for `quiet` milliseconds. */
  endQuiet(quiet: number): void {
    const now = performance.now()
    for (const connection of this.all.values()) connection.endIfQuiet(quiet, now)
  }

  private makeRoom(): boolean {
    let seen = 0
    for (const connection of this.untrusted) {
      if (connection.isExpendable) {
        connection.socket.destroy()
        // It no longer counts, though its close event comes later.
        this.all.delete(connection.socket)
        this.untrusted.delete(connection)
        return true
      }
      if (++seen === searchedConnections) return false
    }
    return false
  }
}
