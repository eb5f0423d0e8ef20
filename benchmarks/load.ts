// The throughput of callers with keys beside clients that misbehave: `npm run bench:load`. Stays on loopback and ends by itself.
// Options: --seconds N per scenario (8), --rounds N (1), --hostile N connections (3000), --writers N (2500), --bin FILE (another
// build of petstore.js, measured in alternation with this one), and names of scenarios to run only those.
// Each side is a process of its own. Raise the limit of open files first where it is low: `ulimit -n 20000`.

import { type ChildProcess, fork, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const adminKey = "load-admin-key-0123456789"
const unknownKey = "psk_987654321_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx4FRfuM"

/** What a process of clients does. */
interface Load {
  readonly port: number
  readonly connections: number
  readonly request: string
  /** Whether a connection is opened anew for each request. */
  readonly reconnects: boolean
  /** How long a client waits after a response, in milliseconds. */
  readonly pause: number
}

/** The responses to a process of clients. */
interface Counts {
  /** Responses by their status. */
  readonly statuses: Record<string, number>
  /** Milliseconds from a request to its response: the longest. */
  readonly longest: number
}

/** One client that sends a request again and again, whatever the response says. */
class Client {
  private readonly load: Load
  private readonly counts: { statuses: Record<string, number>; longest: number }
  private received = ""
  private sentAt = 0

  constructor(load: Load, counts: Client["counts"]) {
    this.load = load
    this.counts = counts
  }

  open(): void {
    this.sentAt = performance.now()
    const socket = connect(this.load.port, "127.0.0.1").setNoDelay().setEncoding("latin1")
    socket.on("connect", () => this.send(socket, this.sentAt))
    socket.on("data", (text: string) => this.receive(socket, text))
    socket.on("error", () => {})
    socket.on("close", () => {
      this.received = ""
      setTimeout(() => this.open(), 1)
    })
  }

  private send(socket: Socket, at = performance.now()): void {
    this.sentAt = at
    socket.write(this.load.request)
  }

  private receive(socket: Socket, text: string): void {
    this.received += text
    const head = this.received.indexOf("\r\n\r\n")
    if (head === -1) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.received)?.[1] ?? 0)
    if (this.received.length < head + 4 + length) return
    const status = this.received.slice(9, 12)
    const closes = /\r\nconnection: close/i.test(this.received.slice(0, head))
    this.received = ""
    this.counts.statuses[status] = (this.counts.statuses[status] ?? 0) + 1
    this.counts.longest = Math.max(this.counts.longest, performance.now() - this.sentAt)
    if (this.load.reconnects || closes) socket.destroy()
    else if (this.load.pause === 0) this.send(socket)
    else setTimeout(() => this.send(socket), this.load.pause)
  }
}

const runClients = (load: Load): void => {
  const counts = { statuses: {}, longest: 0 }
  for (let i = 0; i < load.connections; i++) setTimeout(() => new Client(load, counts).open(), i / 3)
  process.once("disconnect", () => process.exit())
  // Each message requests the counts since the last one.
  process.on("message", () => {
    process.send?.({ ...counts, statuses: { ...counts.statuses } })
    counts.statuses = {}
    counts.longest = 0
  })
}

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const startClients = (load: Load): ChildProcess =>
  fork(fileURLToPath(import.meta.url), [], { env: { ...process.env, LOAD: JSON.stringify(load) } })

const countsOf = (child: ChildProcess): Promise<Counts> =>
  new Promise((resolve) => {
    child.once("message", (counts) => resolve(counts as Counts))
    child.send("counts")
  })

const post = (path: string, body: object, key: string): string => {
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  return `${head}Content-Length: ${text.length}\r\n\r\n${text}`
}

const get = (path: string, ...headers: ReadonlyArray<string>): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`

const write = post("/v1/messages", { message: "Hello" }, adminKey)

interface Scenario {
  readonly title: string
  /** How many callers with a key there are beside the others. */
  readonly callers: number
  /** Whether what the others write counts too: they have a key. */
  readonly sumsAll: boolean
  readonly load: (connections: { readonly hostile: number; readonly writers: number }) => Omit<Load, "port">
}

const scenarios: Readonly<Record<string, Scenario>> = {
  keyless: {
    title: "connections that send requests without a key",
    callers: 20,
    sumsAll: false,
    load: ({ hostile }) => ({ connections: hostile, request: get("/v1/pets"), reconnects: false, pause: 0 })
  },
  wrongkey: {
    title: "connections that send requests with a wrong key",
    callers: 20,
    sumsAll: false,
    load: ({ hostile }) => ({
      connections: hostile,
      request: post("/v1/messages", { message: "Hello" }, `psk_1_${"x".repeat(49)}`),
      reconnects: false,
      pause: 0
    })
  },
  unknownkey: {
    title: "connections that send requests with a well-formed key that does not exist",
    callers: 20,
    sumsAll: false,
    load: ({ hostile }) => ({
      connections: hostile,
      request: post("/v1/messages", { message: "Hello" }, unknownKey),
      reconnects: false,
      pause: 0
    })
  },
  reconnecting: {
    title: "connections without a key that are opened anew for each request",
    callers: 20,
    sumsAll: false,
    load: ({ hostile }) => ({ connections: hostile, request: get("/v1/pets"), reconnects: true, pause: 0 })
  },
  documents: {
    title: "connections that read the document",
    callers: 20,
    sumsAll: false,
    load: ({ hostile }) => ({ connections: hostile, request: get("/openapi.json"), reconnects: false, pause: 0 })
  },
  writers: {
    title: "writers with a key that ignore Retry-After",
    callers: 64,
    sumsAll: true,
    load: ({ writers }) => ({ connections: writers, request: write, reconnects: false, pause: 0 })
  }
}

interface Server {
  readonly port: number
  readonly stop: () => Promise<void>
}

const startServer = async (bin: string): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-load-"))
  const args = [bin, "serve", "--port", "0", "--storage", `sqlite:${join(folder, "pets.db")}`, "--rate-limit", "off"]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PETSTORE_ADMIN_KEY: adminKey },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const port = await new Promise<number>((resolve, reject) => {
    let said = ""
    child.stderr.on("data", (text) => {
      said += text
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    child.once("exit", () => reject(new Error(`The server ended: ${said}`)))
  })
  child.stderr.resume()
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { port, stop }
}

/** Milliseconds until a new connection gets the liveness response: the longest, and how often there was none within 10 seconds. */
const watchLiveness = (port: number) => {
  let longest = 0
  let sent = 0
  let missed = 0
  let running = true
  const send = (): Promise<void> =>
    new Promise((resolve) => {
      const start = performance.now()
      const socket = connect(port, "127.0.0.1", () => socket.write(get("/health/live")))
      const timer = setTimeout(() => socket.destroy(), 10_000)
      let received = false
      socket.once("data", () => {
        received = true
        longest = Math.max(longest, performance.now() - start)
        socket.destroy()
      })
      socket.on("error", () => {})
      socket.once("close", () => {
        clearTimeout(timer)
        if (!received) missed++
        resolve()
      })
    })
  const watching = (async () => {
    while (running) {
      sent++
      await send()
      await sleep(50)
    }
  })()
  return async () => {
    running = false
    await watching
    return { sent, longest, missed }
  }
}

const succeeded = ({ statuses }: Counts): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (status.startsWith("2") ? count : 0), 0)

const measure = async (
  bin: string,
  build: string,
  { callers, load, sumsAll }: Scenario,
  seconds: number,
  connections: Parameters<Scenario["load"]>[0]
) => {
  const server = await startServer(bin)
  const children: Array<ChildProcess> = []
  const start = (own: Omit<Load, "port">): ChildProcess => {
    const child = startClients({ ...own, port: server.port })
    children.push(child)
    return child
  }
  try {
    const keyed = start({ connections: callers, request: write, reconnects: false, pause: 0 })
    await sleep(2_000)
    await countsOf(keyed)
    await sleep(3_000)
    const alone = succeeded(await countsOf(keyed)) / 3
    const hostile = load(connections)
    const others = start(hostile)
    // Opened when the others already send.
    const late = start({ connections: 5, request: write, reconnects: false, pause: 0 })
    await sleep(3_000)
    await Promise.all([keyed, others, late].map(countsOf))
    const stopWatching = watchLiveness(server.port)
    await sleep(seconds * 1_000)
    const [own, rest, joined] = await Promise.all([countsOf(keyed), countsOf(others), countsOf(late)])
    const { sent, longest, missed } = await stopWatching()
    const beside = (succeeded(own) + (sumsAll ? succeeded(joined) + succeeded(rest) : 0)) / seconds
    process.stdout.write(
      `${build.padEnd(9)}${callers} callers alone ${alone.toFixed(0)}/s, ${sumsAll ? "all" : "callers"} beside ${hostile.connections}` +
        ` others ${beside.toFixed(0)}/s (${((beside / alone) * 100).toFixed(0)} %); longest ${own.longest.toFixed(0)} ms;` +
        ` 5 opened later ${(succeeded(joined) / seconds).toFixed(0)}/s; liveness at most ${longest.toFixed(0)} ms, ${missed} of` +
        ` ${sent} missed; others ${JSON.stringify(rest.statuses)}\n`
    )
  } finally {
    for (const child of children) child.kill("SIGKILL")
    await server.stop()
  }
}

const compare = async (): Promise<void> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: "8" },
      rounds: { type: "string", default: "1" },
      hostile: { type: "string", default: "3000" },
      writers: { type: "string", default: "2500" },
      bin: { type: "string", multiple: true, default: [] }
    }
  })
  const own = fileURLToPath(new URL("../packages/http/bin/petstore.js", import.meta.url))
  const connections = { hostile: Number(values.hostile), writers: Number(values.writers) }
  for (const name of positionals.length === 0 ? Object.keys(scenarios) : positionals) {
    const scenario = scenarios[name]
    if (scenario === undefined) throw new TypeError(`There is no scenario ${name}; they are ${Object.keys(scenarios)}`)
    process.stdout.write(`${name}: ${scenario.title}\n`)
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const bin of [...values.bin, own]) {
        const build = bin === own ? "this" : `other ${values.bin.indexOf(bin) + 1}`
        await measure(bin, build, scenario, Number(values.seconds), connections)
      }
    }
  }
}

const { LOAD } = process.env
if (LOAD === undefined) await compare()
else runClients(JSON.parse(LOAD))
