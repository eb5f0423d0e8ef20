import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DoneByServer, StatementsOfClient } from "./messages.ts"

/** How a connection ends: an orderly end, or a reset, which also discards what is on its way. */
export type Cut = "end" | "reset"

/**
 * Where the network breaks around a COMMIT: before it reaches the server, so that the server rolls back, or after the server has
 * committed and before its reply reaches the client. The client sees the same in both cases.
 */
export type LostCommit = "before the server" | "after the server"

/** A connection through the proxy. */
class Link {
  readonly client: Socket
  readonly server: Socket
  private readonly proxy: TcpProxy
  private readonly statements = new StatementsOfClient()
  private readonly done = new DoneByServer()

  constructor(proxy: TcpProxy, client: Socket, server: Socket) {
    this.proxy = proxy
    this.client = client
    this.server = server
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on("error", () => {})
      socket.on("close", () => this.close())
    }
    this.forward(client, server, (chunk) => proxy.seesCommitOfClient(this.statements.read(chunk)))
    this.forward(server, client, (chunk) => proxy.seesCommitOfServer(this.done.read(chunk)))
  }

  cut(how: Cut): void {
    for (const socket of [this.client, this.server]) how === "reset" ? socket.resetAndDestroy() : socket.end()
  }

  private close(): void {
    this.client.destroy()
    this.server.destroy()
    this.proxy.links.delete(this)
  }

  /** Forwards one direction in order, unless the connection breaks at this chunk. */
  private forward(from: Socket, to: Socket, breaksAt: (chunk: Buffer) => boolean): void {
    let before: Promise<unknown> = Promise.resolve()
    from.on("data", (chunk: Buffer) => {
      before = before.then(async () => {
        if (this.proxy.delay > 0) await sleep(this.proxy.delay)
        await this.proxy.moving
        if (breaksAt(chunk)) return this.cut("reset")
        if (to.writable) to.write(chunk)
      })
    })
    from.on("end", () => void before.then(() => to.end()))
  }
}

/** Stands between clients and a server, and breaks what tests ask it to break. */
export class TcpProxy {
  readonly links = new Set<Link>()
  /** Milliseconds that every chunk waits, in each direction. */
  delay = 0
  /** How many connections clients have opened so far. */
  opened = 0
  /** How many connections were cut at a COMMIT. */
  lostCommits = 0
  /** Settled unless the network stands still. */
  moving: Promise<void> = Promise.resolve()
  private continue: () => void = () => {}
  private refuses = false
  private readonly lose: Array<LostCommit> = []
  private readonly server: Server

  private constructor(port: () => number) {
    this.server = createServer({ allowHalfOpen: true }, (client) => {
      this.opened++
      if (this.refuses) return client.resetAndDestroy()
      this.links.add(new Link(this, client, connect({ host: "127.0.0.1", port: port(), allowHalfOpen: true })))
    })
  }

  /** @param port of the server, asked for at each connection */
  static async listen(port: number | (() => number)): Promise<TcpProxy> {
    const proxy = new TcpProxy(typeof port === "number" ? () => port : port)
    proxy.server.listen(0, "127.0.0.1")
    await once(proxy.server, "listening")
    return proxy
  }

  get port(): number {
    const address = this.server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }

  /** The same database through this proxy. */
  url(direct: string): string {
    const url = new URL(direct)
    url.hostname = "127.0.0.1"
    url.port = String(this.port)
    return url.href
  }

  /** Cuts all connections; returns how many there were. */
  cut(how: Cut = "reset"): number {
    const links = [...this.links]
    for (const link of links) link.cut(how)
    return links.length
  }

  /** Cuts all connections and resets each new one until `accept`. */
  refuse(): void {
    this.refuses = true
    this.cut()
  }

  accept(): void {
    this.refuses = false
  }

  /** Nothing moves until `resume`; connections stay open, as behind a firewall that drops packets. */
  stall(): void {
    this.moving = new Promise((resolve) => {
      this.continue = resolve
    })
  }

  resume(): void {
    this.continue()
  }

  /** The connection that commits next breaks at its COMMIT. Each call is for one COMMIT. */
  loseCommit(where: LostCommit): void {
    this.lose.push(where)
  }

  /** Whether the connection breaks at what the client sends. */
  seesCommitOfClient(statements: ReadonlyArray<string>): boolean {
    return (
      this.lose[0] === "before the server" && this.loses(statements.some((text) => /^\s*(COMMIT|END)\b/i.test(text)))
    )
  }

  /** Whether the connection breaks at what the server replies. */
  seesCommitOfServer(tags: ReadonlyArray<string>): boolean {
    return this.lose[0] === "after the server" && this.loses(tags.includes("COMMIT"))
  }

  async close(): Promise<void> {
    this.resume()
    this.cut()
    this.server.close()
    await once(this.server, "close")
  }

  private loses(isCommit: boolean): boolean {
    if (!isCommit) return false
    this.lose.shift()
    this.lostCommits++
    return true
  }
}

/** A proxy before the server of a URL, which goes with the scope. */
export const tcpProxy = (url: string): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => TcpProxy.listen(Number(new URL(url).port || 5432))),
    (proxy) => Effect.promise(() => proxy.close())
  )
