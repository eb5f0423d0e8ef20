import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Message, Messages, StatementsOfClient, tagsOfServer } from "./messages.ts"

/** How a connection ends: an orderly end, or a reset, which also discards what is on its way. */
export type Cut = "end" | "reset"

/**
 * Where the network breaks around a COMMIT: before it reaches the server, so that the server rolls back, or after the server has
 * committed and before its reply reaches the client. The client sees the same in both cases.
 */
export type LostCommit = "before the server" | "after the server"

type Sender = "client" | "server"

/** What a proxy counts: the messages of each side, and connections. */
export const counted = ["client", "server", "connection"] as const
export type Counted = (typeof counted)[number]

/**
 * What happens to a message: the connection breaks before it; or after it, so that it arrives, and nothing else does; it is
 * delayed, and lost if the client gives up; or it arrives just after the client has given up.
 */
const errorsOfMessages = ["cut-before", "cut-after", "delay", "late"] as const

/**
 * A connection may also be opened twice: a second one begins with the same message, and nobody uses it. No later message can be
 * doubled: TCP delivers each byte once, and the authentication of one connection is not valid on another.
 */
export const messageErrors = { client: errorsOfMessages, server: errorsOfMessages, connection: ["double"] } as const

/** A message or a connection that does not pass as it should. */
export interface MessageFault {
  readonly of: Counted
  /** Its number among those of all connections, from 1. */
  readonly at: number
  readonly error: (typeof messageErrors)[Counted][number]
}

/** A message that did not pass. */
interface FailedMessage {
  /** As the protocol has it: `Q` for example, empty for the first of a connection. */
  readonly type: string
  /** Whether the client had sent a COMMIT and not received its result. */
  readonly inCommit: boolean
}

/** Milliseconds that a message is delayed. */
const messageDelay = 1_000

/** Milliseconds that a late message waits at most for the client to give up. */
const longestPatience = 4_000

/** Milliseconds after the client has given up in which it may begin again before a late message arrives. */
const lateness = 50

/** What makes a transaction durable: a COMMIT, or a statement that is a transaction by itself. */
const isCommit = (statements: ReadonlyArray<string>): boolean =>
  statements.some((text) => /^\s*(COMMIT|END)\b/i.test(text) || isWhole(text))
const isWhole = (text: string): boolean => text.startsWith("WITH guess")

const endsTransaction = (tags: ReadonlyArray<string>): boolean => tags.includes("COMMIT") || tags.includes("ROLLBACK")

/** A connection through the proxy. */
class Link {
  readonly client: Socket
  readonly server: Socket
  private readonly proxy: TcpProxy
  private readonly statements = new StatementsOfClient()
  /** From the COMMIT of the client to the message with which the server is ready for more. */
  private commit: "none" | "sent" | "done" = "none"
  /** Whether the last statement is a transaction by itself. */
  private isWhole = false
  private lastSender: Sender = "server"
  /** Settled when what is on its way may arrive, whoever has closed the connection; undefined if nothing arrives after that. */
  private delivery: Promise<unknown> | undefined
  private readonly sent: Record<Sender, Promise<unknown>> = { client: Promise.resolve(), server: Promise.resolve() }

  constructor(proxy: TcpProxy, client: Socket, server: Socket) {
    this.proxy = proxy
    this.client = client
    this.server = server
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on("error", () => {})
      socket.on("close", () => this.close())
    }
    this.forward("client")
    this.forward("server")
  }

  cut(how: Cut): void {
    for (const socket of [this.client, this.server]) how === "reset" ? socket.resetAndDestroy() : socket.end()
  }

  private close(): void {
    const { client, delivery, sent, server } = this
    if (delivery === undefined) {
      client.destroy()
      server.destroy()
    } else {
      void delivery.then(() => Promise.all([sent.client, sent.server])).then(() => [client.end(), server.end()])
    }
    if (client.destroyed && server.destroyed) this.proxy.links.delete(this)
  }

  /** Forwards one direction in order, unless the connection breaks at a chunk. */
  private forward(sender: Sender): void {
    const from = this[sender]
    const to = this.receiverOf(sender)
    const messages = new Messages(sender === "client")
    const inTurn = (work: () => unknown): void => {
      this.sent[sender] = this.sent[sender].then(work)
    }
    from.on("data", (chunk: Buffer) =>
      inTurn(async () => {
        const { proxy } = this
        if (proxy.delay > 0) await sleep(proxy.delay)
        await proxy.moving
        if (sender === "client" && this.lastSender === "server") proxy.flights++
        this.lastSender = sender
        const found = messages.read(chunk)
        if (this.breaksAt(sender, found)) return this.cut("reset")
        if (proxy.counts === undefined) return write(to, chunk)
        for (const message of found) await this.pass(sender, message)
      })
    )
    from.on("end", () => inTurn(() => to.end()))
  }

  private receiverOf(sender: Sender): Socket {
    return sender === "client" ? this.server : this.client
  }

  private breaksAt(sender: Sender, messages: ReadonlyArray<Message>): boolean {
    if (sender === "client") {
      const statements = this.statements.read(messages)
      if (statements.length > 0) this.isWhole = statements.some(isWhole)
      return this.proxy.seesCommitOfClient(statements)
    }
    const isDone = this.isWhole && messages.some(({ type }) => type === "Z")
    return this.proxy.seesCommitOfServer(isDone || tagsOfServer(messages).includes("COMMIT"))
  }

  /** Lets a message pass, as its fault has it. */
  private async pass(sender: Sender, message: Message): Promise<void> {
    const { proxy } = this
    const { bytes, type } = message
    if (sender === "client" && isCommit(this.statements.read([message]))) this.commit = "sent"
    const tags = sender === "server" ? tagsOfServer([message]) : []
    if (this.commit === "sent" && (endsTransaction(tags) || (this.isWhole && tags.length > 0))) this.commit = "done"
    const isReady = sender === "server" && type === "Z" && this.commit === "done"
    const error = (type === "" ? proxy.errorOfNext("connection") : undefined) ?? proxy.errorOfNext(sender)
    if (error === undefined) write(this.receiverOf(sender), bytes)
    else {
      proxy.failed = { type, inCommit: this.commit !== "none" && !(isReady && error === "cut-after") }
      await this.meet(error, sender, bytes)
    }
    if (isReady) this.commit = "none"
  }

  private async meet(error: MessageFault["error"], sender: Sender, bytes: Buffer): Promise<void> {
    const to = this.receiverOf(sender)
    switch (error) {
      case "cut-before":
        return this.cut("reset")
      case "cut-after":
        this.delivery = Promise.resolve()
        to.end(bytes)
        this[sender].resetAndDestroy()
        return
      case "delay":
        await sleep(messageDelay)
        return write(to, bytes)
      case "late": {
        const gone = this.client.destroyed ? undefined : once(this.client, "close")
        this.delivery = Promise.race([gone, sleep(longestPatience)]).then(() => sleep(lateness))
        await this.delivery
        return write(to, bytes)
      }
      case "double": {
        const other = this.proxy.connect()
        this.server.on("close", () => other.destroy())
        other.write(bytes)
        return write(to, bytes)
      }
    }
  }
}

const write = (to: Socket, bytes: Buffer): void => {
  if (to.writable) to.write(bytes)
}

/** Stands between clients and a server, and breaks what tests ask it to break. */
export class TcpProxy {
  readonly links = new Set<Link>()
  /** Milliseconds that every chunk waits, in each direction. */
  delay = 0
  /** How many connections clients have opened so far. */
  opened = 0
  /** How many times a client has sent something after a reply of the server. */
  flights = 0
  /** How many connections were cut at a COMMIT. */
  lostCommits = 0
  /** How many of each there were; undefined without {@link countMessages}. */
  counts: Record<Counted, number> | undefined
  /** The message that did not pass as it should. */
  failed: FailedMessage | undefined
  /** Settled unless the network stands still. */
  moving: Promise<void> = Promise.resolve()
  private continue: () => void = () => {}
  private refuses = false
  private fault: MessageFault | undefined
  private readonly lose: Array<LostCommit> = []
  private readonly server: Server
  private readonly portOfServer: () => number

  private constructor(port: () => number) {
    this.portOfServer = port
    this.server = createServer({ allowHalfOpen: true }, (client) => {
      this.opened++
      if (this.refuses) return client.resetAndDestroy()
      this.links.add(new Link(this, client, this.connect()))
    })
  }

  /** @param port of the server, asked for at each connection */
  static async listen(port: number | (() => number)): Promise<TcpProxy> {
    const proxy = new TcpProxy(typeof port === "number" ? () => port : port)
    proxy.server.listen(0, "127.0.0.1")
    await once(proxy.server, "listening")
    return proxy
  }

  /** A connection to the server. */
  connect(): Socket {
    return connect({ host: "127.0.0.1", port: this.portOfServer(), allowHalfOpen: true }).on("error", () => {})
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

  /** Counts connections, without TLS, and messages from now on, of which the one of the fault does not pass as it should. */
  countMessages(fault?: MessageFault): void {
    this.counts = { client: 0, server: 0, connection: 0 }
    this.fault = fault
  }

  /** Counts one, and returns what happens to it. */
  errorOfNext(of: Counted): MessageFault["error"] | undefined {
    if (this.counts === undefined) return undefined
    const number = ++this.counts[of]
    return this.fault?.of === of && this.fault.at === number ? this.fault.error : undefined
  }

  /** The connection that commits next breaks at its COMMIT. Each call is for one COMMIT. */
  loseCommit(where: LostCommit): void {
    this.lose.push(where)
  }

  /** Whether the connection breaks at what the client sends. */
  seesCommitOfClient(statements: ReadonlyArray<string>): boolean {
    return this.lose[0] === "before the server" && this.loses(isCommit(statements))
  }

  /** Whether the connection breaks at what the server replies. */
  seesCommitOfServer(isCommitted: boolean): boolean {
    return this.lose[0] === "after the server" && this.loses(isCommitted)
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
