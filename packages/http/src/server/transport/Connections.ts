import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { ResponsePace } from "../limits/ResponsePace.ts"
import { Connection } from "./Connection.ts"

/** How many connections are looked at to find one that can be closed for a new one. */
const searched = 64

/** The open connections of a server. */
export class Connections {
  private readonly all = new Map<Duplex, Connection>()
  /** Those that have not shown valid credentials, oldest first. */
  private readonly untrusted = new Set<Connection>()
  private readonly paced = new ResponsePace()
  private readonly limit: number
  /** How many were ever opened. */
  private opened = 0

  /** `limit`: how many connections may be open. Beyond it, those without valid credentials make room. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** How many were ever opened. */
  get count(): number {
    return this.opened
  }

  /** Takes a new connection, and makes room for it; undefined if there is none. */
  readonly open = (socket: Socket): Connection | undefined => {
    this.opened++
    if (this.all.size >= this.limit && !this.makeRoom()) {
      socket.destroy()
      return undefined
    }
    const connection = this.of(socket)
    // Node closes connections by this after their last response.
    socket.destroySoon = () => connection.end()
    return connection
  }

  of(socket: Duplex): Connection {
    const known = this.all.get(socket)
    if (known !== undefined) return known
    const connection = new Connection(socket, this.paced, { trusted: (own) => this.untrusted.delete(own) })
    this.all.set(socket, connection)
    this.untrusted.add(connection)
    socket.once("close", () => {
      this.all.delete(socket)
      this.untrusted.delete(connection)
    })
    return connection
  }

  /** Sends all responses that are delayed, each as the last of its connection. */
  sendDelayed(): void {
    this.paced.sendAll()
  }

  /** Ends those on which no request is under way and nothing has come for so many milliseconds. */
  endQuiet(quiet: number): void {
    const now = performance.now()
    for (const connection of this.all.values()) connection.endIfQuiet(quiet, now)
  }

  private makeRoom(): boolean {
    let seen = 0
    for (const connection of this.untrusted) {
      if (connection.isExpendable) {
        connection.socket.destroy()
        // Its place is free at once, though the event comes later.
        this.all.delete(connection.socket)
        this.untrusted.delete(connection)
        return true
      }
      if (++seen === searched) return false
    }
    return false
  }
}
