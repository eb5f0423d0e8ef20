import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { Duplex } from "node:stream"
import tls from "node:tls"
import type { WebhookUrl } from "./WebhookUrl.ts"

/** How long a connection stays open without a request, in milliseconds: shorter than any receiver closes it. */
const idleTimeoutMillis = 1_000
/** How long a connection is used, in milliseconds: after that, the name is resolved and checked again. */
const lifetimeMillis = 60_000

const settings = { keepAlive: true, timeout: idleTimeoutMillis, scheduling: "lifo" } as const

/**
 * Connections that are kept for further requests to the same host and port: to the address that was checked when they were
 * made, for a minute at most, and not more than may be in use. They use no proxy, whatever the environment says, and keep no
 * process alive.
 */
export class Connections {
  private readonly http = new HttpAgent(settings)
  private readonly https: HttpsAgent

  private readonly madeAt = new WeakMap<Duplex, number>()
  private kept = 0
  private readonly maximum: number

  constructor(maximum: number, authorities: ReadonlyArray<string> | undefined) {
    this.maximum = maximum
    this.https = new HttpsAgent({
      ...settings,
      // Set, because the environment can turn it off.
      rejectUnauthorized: true,
      // A resumed session would skip the check of the name.
      maxCachedSessions: 0,
      ...(authorities === undefined ? {} : { ca: [...tls.getCACertificates("default"), ...authorities] })
    })
    for (const agent of [this.http, this.https]) this.limit(agent)
  }

  request({ host, path, port, protocol }: WebhookUrl, options: RequestOptions): ClientRequest {
    const isHttps = protocol === "https:"
    return (isHttps ? httpsRequest : httpRequest)({
      ...options,
      protocol,
      host,
      port,
      path,
      agent: isHttps ? this.https : this.http,
      insecureHTTPParser: false
    })
  }

  private limit(agent: HttpAgent): void {
    const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent)
    agent.keepSocketAlive = (socket) => {
      const now = performance.now()
      if (!this.madeAt.has(socket)) {
        this.madeAt.set(socket, now)
        this.kept++
        socket.once("close", () => this.kept--)
      }
      const age = now - (this.madeAt.get(socket) ?? now)
      return keep(socket) !== false && age < lifetimeMillis && this.kept <= this.maximum
    }
  }
}
