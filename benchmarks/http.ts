// What reading one pet over HTTP costs, against the same work written by hand and against
// the HTTP server that comes with Effect: `npm run bench:http`.
// Options: --seconds N per round (2), --rounds N (5), --connections N (32), and names of contenders to run only those.
// Each contender is a process of its own; rounds alternate between them, so that other load affects all equally.

import { type ChildProcess, fork } from "node:child_process"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { memory } from "@petstore/adapters/memory"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore, type StorageAdapter } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { createHandler } from "@petstore/http"
import Fastify from "fastify"
import { httpApiBuilder } from "./httpApiBuilder.ts"

/** Where a contender listens, and the key to read its pet with. */
interface Ready {
  readonly port: number
  readonly key: string
}

const pets = 1_000
const read = 7

/** The petstore's own server, or another for the same petstore. */
type MakeListener = (petstore: Petstore) => RequestListener | Promise<RequestListener>

const ownHandler: MakeListener = (petstore) => createHandler(petstore, { rateLimit: "off" }).node

const effectHandler: MakeListener = (petstore) => {
  const engine = runtimeOf(petstore).cachedContext
  if (engine === undefined) throw new Error("The petstore is closed.")
  return httpApiBuilder(engine)
}

const petstoreOn = async (storage: StorageAdapter, listener = ownHandler): Promise<Ready> => {
  const petstore = await createPetstore({ storage })
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  for (let i = 1; i <= pets; i++) await petstore.pets.create({ name: `Cat ${i}`, categoryId })
  const { id: accountId } = await petstore.accounts.create({ name: "Readers" })
  const { key } = await petstore.apiKeys.create({ accountId, name: "reader", preset: "read" })
  const server = createServer({ optimizeEmptyRequests: true }, await listener(petstore))
  return listening(server, key)
}

const listening = (server: ReturnType<typeof createServer>, key: string): Promise<Ready> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ port: (server.address() as AddressInfo).port, key }))
  })

interface PetRow {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: string
  readonly version: number
}

interface KeyRow {
  readonly id: number
  readonly digest: Uint8Array
  readonly scopes: string
  readonly expiresAt: number | null
}

/** What both hand-written contenders do: a key by its id, a digest compared, a scope, an id, one SELECT. */
const byHand = (file: string) => {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE keys (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, scopes TEXT NOT NULL, expiresAt INTEGER) STRICT;
    CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT NOT NULL,
      version INTEGER NOT NULL) STRICT`)
  const insert = database.prepare("INSERT INTO pets VALUES (?, ?, 1, 'available', 1)")
  for (let i = 1; i <= pets; i++) insert.run(i, `Cat ${i}`)
  const secret = randomBytes(32).toString("base64url")
  const sha256 = (text: string) => createHash("sha256").update(text).digest()
  database.prepare("INSERT INTO keys VALUES (1, ?, 'pets:read inventory:read', NULL)").run(sha256(secret))
  const findKey = database.prepare("SELECT id, digest, scopes, expiresAt FROM keys WHERE id = ?")
  const findPet = database.prepare("SELECT id, name, categoryId, status, version FROM pets WHERE id = ?")

  const authorize = (authorization: string | undefined): 401 | 403 | undefined => {
    const [, id, token] = /^Bearer psk_([1-9][0-9]*)_([\w-]+)$/.exec(authorization ?? "") ?? []
    if (id === undefined || token === undefined) return 401
    const row = findKey.get(Number(id)) as KeyRow | undefined
    if (row === undefined || !timingSafeEqual(row.digest, sha256(token))) return 401
    if (row.expiresAt !== null && row.expiresAt <= Date.now()) return 401
    return row.scopes.split(" ").includes("pets:read") ? undefined : 403
  }
  const pet = (id: string): PetRow | undefined =>
    /^[1-9][0-9]{0,15}$/.test(id) ? (findPet.get(Number(id)) as PetRow | undefined) : undefined
  const headers = (row: PetRow) => ({
    "content-type": "application/json",
    etag: `"v${row.version}"`,
    deprecation: "@1796428800",
    sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
    link: `</docs>; rel="deprecation", </v1/store/pets/${row.id}>; rel="successor-version"`,
    "x-request-id": String(++requests)
  })
  let requests = 0
  return { key: `psk_1_${secret}`, authorize, pet, headers }
}

const problem = (status: number) => ({ code: "refused", message: "Refused.", status })

const fastify = async (file: string): Promise<Ready> => {
  const { authorize, headers, key, pet } = byHand(file)
  const app = Fastify()
  app.get<{ Params: { petId: string } }>(
    "/v1/pets/:petId",
    {
      schema: {
        response: {
          200: {
            type: "object",
            properties: {
              id: { type: "integer" },
              name: { type: "string" },
              categoryId: { type: "integer" },
              status: { type: "string" }
            }
          }
        }
      },
      preHandler: async (request, reply) => {
        const refusal = authorize(request.headers.authorization)
        if (refusal !== undefined) return reply.code(refusal).send(problem(refusal))
      }
    },
    async (request, reply) => {
      const row = pet(request.params.petId)
      if (row === undefined) return reply.code(404).send(problem(404))
      reply.headers(headers(row))
      return row
    }
  )
  await app.listen({ port: 0, host: "127.0.0.1" })
  return { port: (app.server.address() as AddressInfo).port, key }
}

const node = (file: string): Promise<Ready> => {
  const { authorize, headers, key, pet } = byHand(file)
  const server = createServer((request, response) => {
    const send = (status: number, body: object, more = {}): void => {
      const text = JSON.stringify(body)
      response.writeHead(status, { ...more, "content-length": Buffer.byteLength(text) }).end(text)
    }
    const url = request.url ?? ""
    if (request.method !== "GET" || !url.startsWith("/v1/pets/")) return send(404, problem(404))
    const refusal = authorize(request.headers.authorization)
    if (refusal !== undefined) return send(refusal, problem(refusal))
    const row = pet(url.slice("/v1/pets/".length))
    if (row === undefined) return send(404, problem(404))
    const { version: _version, ...body } = row
    send(200, body, headers(row))
  })
  return listening(server, key)
}

const contenders: Readonly<Record<string, (file: string) => Promise<Ready>>> = {
  fastify,
  node,
  memory: () => petstoreOn(memory()),
  sqlite: (file) => petstoreOn(sqlite(file)),
  "memory, HttpApiBuilder": () => petstoreOn(memory(), effectHandler),
  "sqlite, HttpApiBuilder": (file) => petstoreOn(sqlite(file), effectHandler)
}

/** Sends requests on one connection, one after the other, and counts the responses. */
class Client {
  responses = 0
  private readonly socket: Socket
  private readonly request: string
  private pending = ""

  constructor({ key, port }: Ready) {
    this.request = `GET /v1/pets/${read} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`
    this.socket = connect(port, "127.0.0.1").setNoDelay().setEncoding("latin1")
    this.socket.on("data", (text: string) => this.receive(text))
  }

  start(): void {
    this.socket.write(this.request)
  }

  end(): void {
    this.socket.destroy()
  }

  private receive(text: string): void {
    this.pending += text
    const head = this.pending.indexOf("\r\n\r\n")
    if (head === -1) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.pending)?.[1])
    if (this.pending.length < head + 4 + length) return
    if (!this.pending.startsWith("HTTP/1.1 200")) throw new Error(this.pending)
    this.pending = ""
    this.responses++
    this.socket.write(this.request)
  }
}

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** The result of one round. */
interface Round {
  /** Requests per second. */
  readonly rate: number
  /** Microseconds of the server's processor time for one request. */
  readonly cost: number
}

/** Microseconds of processor time that a contender has used so far. */
const processorTime = ({ process }: Entry): Promise<number> =>
  new Promise((resolve) => {
    process.once("message", (used) => resolve(Number(used)))
    process.send("processor time")
  })

const measure = async (entry: Entry, seconds: number): Promise<Round> => {
  const { connections, ready } = entry
  const before = await processorTime(entry)
  const clients = Array.from({ length: connections }, () => new Client(ready))
  const start = performance.now()
  for (const client of clients) client.start()
  await sleep(seconds * 1000)
  const responses = clients.reduce((sum, client) => sum + client.responses, 0)
  const rate = responses / ((performance.now() - start) / 1000)
  for (const client of clients) client.end()
  const cost = ((await processorTime(entry)) - before) / responses
  await sleep(50)
  return { rate, cost }
}

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

interface Entry {
  readonly name: string
  readonly process: ChildProcess
  readonly ready: Ready
  readonly connections: number
  readonly rounds: Array<Round>
}

const startContender = async (name: string, directory: string, connections: number): Promise<Entry> => {
  const process = fork(fileURLToPath(import.meta.url), [], {
    env: { ...globalThis.process.env, CONTENDER: name, DATABASE: join(directory, `${name}.db`) }
  })
  const ready = await new Promise<Ready>((resolve, reject) => {
    process.once("message", (message) => resolve(message as Ready))
    process.once("exit", () => reject(new Error(`${name} did not start`)))
  })
  return { name, process, ready, connections, rounds: [] }
}

const compare = async (): Promise<void> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: "2" },
      rounds: { type: "string", default: "5" },
      connections: { type: "string", default: "32" }
    }
  })
  const names = positionals.length === 0 ? Object.keys(contenders) : positionals
  const directory = mkdtempSync(join(tmpdir(), "petstore-bench-"))
  const entries: Array<Entry> = []
  try {
    for (const name of names) entries.push(await startContender(name, directory, Number(values.connections)))
    for (const entry of entries) await measure(entry, 2)
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const entry of entries) entry.rounds.push(await measure(entry, Number(values.seconds)))
    }
  } finally {
    for (const { process } of entries) process.kill()
    rmSync(directory, { recursive: true, force: true })
  }
  const [reference] = entries
  if (reference === undefined) return
  const line = (...cells: ReadonlyArray<string>) => `${cells.map((cell) => cell.padEnd(26)).join("")}\n`
  process.stdout.write(`GET /v1/pets/${read}: medians of ${values.rounds} rounds, ratios to ${reference.name}\n`)
  process.stdout.write(line("", "requests/s", "ratio", "processor µs", "ratio"))
  for (const { name, rounds } of entries) {
    const ratio = (of: (round: Round) => number) =>
      median(rounds.map((round, index) => of(round) / of(reference.rounds[index] ?? round))).toFixed(2)
    process.stdout.write(
      line(
        name,
        median(rounds.map(({ rate }) => rate)).toFixed(0),
        ratio(({ rate }) => rate),
        median(rounds.map(({ cost }) => cost)).toFixed(1),
        ratio(({ cost }) => cost)
      )
    )
  }
}

const { CONTENDER, DATABASE } = process.env
const contender = contenders[CONTENDER ?? ""]
if (contender !== undefined && DATABASE !== undefined) {
  process.send?.(await contender(DATABASE))
  // The process that compares has ended, or failed.
  process.once("disconnect", () => process.exit())
  process.on("message", () => {
    const { system, user } = process.cpuUsage()
    process.send?.(system + user)
  })
} else {
  await compare()
}
