import { randomUUID } from "node:crypto"
import { mkdtempDisposableSync, readFileSync } from "node:fs"
import { Agent, createServer, request } from "node:http"
import { type HeapProfiler, type Profiler, Session } from "node:inspector/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import type { Lab } from "../Lab.ts"
import { tooLong } from "./limits.ts"
import { type Compared, ratioOf, tooSlow } from "./ratios.ts"

/** Before a call is counted: caches are full, and nothing is prepared for the first time. */
const warmCalls = 30
/** Calls whose allocations are counted together, since V8 samples them. */
const sampledCalls = 400
/** Bytes between two samples. */
const samplingInterval = 2_048
/** Milliseconds until what the warm calls left behind, such as a checkpoint, is done. */
const pause = 300

const packages = new URL("../../packages/", import.meta.url).href

/** What of a file has run, by V8's coverage. */
interface CountedFile {
  readonly file: string
  readonly functions: number
  readonly calls: number
  readonly lines: number
}

const startsOf = (text: string): ReadonlyArray<number> => [...text.matchAll(/^/gm)].map(({ index }) => index)

const startsByFile = new Map<string, ReadonlyArray<number>>()

/** Returns the number of the line that a character is in. */
const lineOf = (url: string): ((offset: number) => number) => {
  const starts = startsByFile.get(url) ?? startsOf(readFileSync(new URL(url), "utf8"))
  startsByFile.set(url, starts)
  return (offset) => starts.findLastIndex((start) => start <= offset)
}

/** The lines of a function, without those of its branches that were not taken. */
const linesOf = ({ ranges }: Profiler.FunctionCoverage, line: (offset: number) => number): ReadonlySet<number> => {
  const [whole, ...blocks] = ranges
  if (whole === undefined) return new Set()
  const lines = new Set<number>()
  for (let n = line(whole.startOffset); n <= line(whole.endOffset - 1); n++) lines.add(n)
  for (const { count, endOffset, startOffset } of blocks) {
    if (count === 0) for (let n = line(startOffset) + 1; n < line(endOffset - 1); n++) lines.delete(n)
  }
  return lines
}

const countedOf = ({ functions, url }: Profiler.ScriptCoverage): CountedFile => {
  const called = functions.filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0)
  const line = lineOf(url)
  return {
    file: url.slice(packages.length),
    functions: called.length,
    calls: called.reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0),
    lines: new Set(called.flatMap((one) => [...linesOf(one, line)])).size
  }
}

/** How often a call is counted: a timer or a checkpoint may run beside it. The one for which the least runs counts. */
const countedCalls = 5

/** What runs for one call, in the files of the packages. */
const countCall = async (session: Session, call: () => Promise<unknown>): Promise<ReadonlyArray<CountedFile>> => {
  for (let n = 0; n < warmCalls; n++) await call()
  const counted: Array<ReadonlyArray<CountedFile>> = []
  for (let n = 0; n < countedCalls; n++) {
    await setTimeout(pause)
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
    await session.post("Profiler.takePreciseCoverage")
    await call()
    const { result } = await session.post("Profiler.takePreciseCoverage")
    await session.post("Profiler.stopPreciseCoverage")
    counted.push(
      result
        .filter(({ url }) => url.startsWith(packages))
        .map(countedOf)
        .filter(({ functions }) => functions > 0)
    )
  }
  return counted.toSorted((one, other) => sumOf(one, "calls") - sumOf(other, "calls"))[0] ?? []
}

const sumOf = (files: ReadonlyArray<CountedFile>, part: "functions" | "calls" | "lines"): number =>
  files.reduce((sum, one) => sum + one[part], 0)

const sizeOf = ({ children, selfSize }: HeapProfiler.SamplingHeapProfileNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize)

/** How many bytes a call allocates, those of both sides of a request. */
const countBytes = async (session: Session, call: () => Promise<unknown>): Promise<number> => {
  await session.post("HeapProfiler.startSampling", {
    samplingInterval,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true
  })
  for (let n = 0; n < sampledCalls; n++) await call()
  const { profile } = await session.post("HeapProfiler.stopSampling")
  return Math.round(sizeOf(profile.head) / sampledCalls)
}

/** Calls of a petstore in a file with 25 pets, in process and over REST. */
const openCalls = async (folder: string) => {
  const petstore = await createPetstore({ storage: sqlite(join(folder, "petstore.db")) })
  const { id: accountId } = await petstore.accounts.create({ name: "Path" })
  const { key } = await petstore.apiKeys.create({ accountId, name: "path", preset: "write" })
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  const { id: petId } = await petstore.pets.create({ name: "Rex", categoryId })
  await petstore.inventory.set(petId, 100_000)
  await petstore.pets.createAll(Array.from({ length: 24 }, (_, n) => ({ name: `Rex ${n}`, categoryId })))

  const handler = createHandler(petstore)
  const server = createServer(handler.node)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  const send = (method: "GET" | "POST", path: string, body?: object): Promise<void> =>
    new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const headers = {
        authorization: `Bearer ${key}`,
        ...(bytes === undefined ? {} : { "content-type": "application/json", "content-length": bytes.length })
      }
      const sent = request({ host: "127.0.0.1", port, method, path: `/v1${path}`, agent, headers }, (response) => {
        response.resume()
        const { statusCode = 0 } = response
        response.on("end", () => (statusCode < 400 ? resolve() : reject(new Error(`${path} responded ${statusCode}`))))
      })
      sent.on("error", reject)
      sent.end(bytes)
    })

  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "GET a pet, REST": () => send("GET", `/store/pets/${petId}`),
    "list of 20, REST": () => send("GET", "/pets?limit=20&status=available"),
    "order, REST": () => send("POST", "/store/orders", { petId, quantity: 1 }),
    "place, in process": () => petstore.orders.place({ petId }),
    "transaction of 3 orders, in process": () =>
      petstore.transaction(async (tx) => {
        for (let n = 0; n < 3; n++) await tx.orders.place({ petId })
      }),
    "get, in process": () => petstore.pets.get(petId)
  }

  const orders = (count: number): ReadonlyArray<{ readonly petId: number }> =>
    Array.from({ length: count }, () => ({ petId }))
  const oneByOne = (count: number) => async (): Promise<void> => {
    for (const order of orders(count)) await petstore.orders.place(order)
  }
  // Limits have room for a busy machine.
  const compared: ReadonlyArray<Compared> = [
    {
      name: "transaction of 3 orders, of 3 orders",
      call: () =>
        petstore.transaction(async (tx) => {
          for (const order of orders(3)) await tx.orders.place(order)
        }),
      other: oneByOne(3),
      most: 1
    },
    {
      name: "20 orders at once, of 20 orders",
      call: () => petstore.orders.placeAll(orders(20)),
      other: oneByOne(20),
      most: 0.3
    },
    {
      name: "order with a key, of an order",
      call: () => petstore.orders.place({ petId }, { idempotencyKey: randomUUID() }),
      other: oneByOne(1),
      most: 2.25
    }
  ]

  const close = async (): Promise<void> => {
    agent.destroy()
    server.close()
    await handler.close()
    await petstore.close()
  }
  return { calls, compared, close }
}

/**
 * Counts for each call the files and functions that run, the calls of these, and their lines: they are the same on every machine. With
 * them, the bytes that it allocates. Then compares the processor time of calls that do the same in different ways.
 */
export const ask = async (lab: Lab<{ readonly check: boolean; readonly files: string | undefined }>): Promise<void> => {
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-path-"))
  const { calls, close, compared } = await openCalls(folder.path)
  try {
    for (const [name, call] of Object.entries(calls)) {
      const files = await countCall(session, call)
      const counted = {
        files: files.length,
        functions: sumOf(files, "functions"),
        calls: sumOf(files, "calls"),
        lines: sumOf(files, "lines"),
        bytes: await countBytes(session, call)
      }
      lab.log(
        `${name}: ${Object.entries(counted)
          .map(([part, count]) => `${count} ${part}`)
          .join(", ")}`
      )
      if (lab.flags.check) for (const problem of tooLong(name, counted)) lab.found(problem, "")
      if (lab.flags.files === undefined || !name.includes(lab.flags.files)) continue
      for (const one of files.toSorted((a, b) => b.lines - a.lines))
        lab.log(`  ${one.file}: ${one.functions} functions, ${one.calls} calls, ${one.lines} lines`)
    }
    for (const one of compared) {
      const ratio = await ratioOf(one)
      lab.log(`${one.name}: ${ratio.toFixed(2)} times the processor time`)
      if (lab.flags.check) for (const problem of tooSlow(one, ratio)) lab.found(problem, "")
    }
  } finally {
    await close()
    session.disconnect()
  }
}
