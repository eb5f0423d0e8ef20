import { fork } from "node:child_process"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { addKeys, addPets } from "../../load/furnish.ts"
import { listeningAt } from "../../load/listeningAt.ts"
import type { Load } from "../../load/requests.ts"
import type { LoadResult } from "../../load/sendLoad.ts"
import type { Context, Running, Side } from "../Comparison.ts"
import { clientCore, onCore, replyOf, serverCore } from "../machine/processes.ts"

const usage = new URL("usage.ts", import.meta.url).href
const clientProgram = fileURLToPath(new URL("client.ts", import.meta.url))
const peerProgram = fileURLToPath(new URL("../peers/main.ts", import.meta.url))
export const command = fileURLToPath(new URL("../../../packages/http/bin/petstore.js", import.meta.url))

/** A program that serves the shop in a file. */
export interface Server {
  readonly name: string
  readonly program: string
  readonly args: (file: string) => ReadonlyArray<string>
}

/** `petstore serve` as it is shipped, with a rate limit that nobody reaches. */
export const petstore: Server = {
  name: "ours",
  program: command,
  args: (file) => ["serve", "--port", "0", "--storage", `sqlite:${file}`, "--rate-limit", "1000000000"]
}

const peer = (name: string, kind: string): Server => ({
  name,
  program: peerProgram,
  args: (file) => [kind, file]
})

export const peers = {
  /** `node:http` and `node:sqlite`, with keys that are kept and commits that are shared. */
  expert: peer("by hand", "expert"),
  /** The same with a commit for each order, which is best for one connection. */
  node: peer("by hand", "node"),
  fastify: peer("Fastify", "fastify"),
  express: peer("Express", "express"),
  hono: peer("Hono", "hono"),
  drizzle: peer("Drizzle", "drizzle"),
  prisma: peer("Prisma", "prisma")
}

export interface RunningServer extends Running {
  readonly name: string
  readonly port: number
  /** The database that it serves. */
  readonly file: string
  readonly run: (load: Partial<Load>) => Promise<LoadResult>
}

/** What a process has used since it started: microseconds of processor time, and bytes of resident memory. */
interface Usage {
  readonly cpu: number
  readonly rss: number
}

/** The shop that all contenders serve: each has a copy of the file. */
interface ShopFile {
  readonly file: string
  readonly key: string
}

const pets = 10_000

/** Makes a shop whose pets never sell out. Every fourth pet is sold, so that a filter has something to leave out. */
const makeShop = async (folder: string): Promise<ShopFile> => {
  const file = join(folder, "shop.db")
  await using petstore = await createPetstore({ storage: sqlite(file) })
  await addPets(petstore, pets, (id) => id % 4 === 0)
  const { keys } = await addKeys(petstore, "write")
  return { file, key: keys[0] ?? "" }
}

const shops = new Map<string, Promise<ShopFile>>()

/** The shop of the run. */
export const shopIn = ({ shared }: Context): Promise<ShopFile> => {
  const shop = shops.get(shared) ?? makeShop(shared)
  shops.set(shared, shop)
  return shop
}

/** The processes of a server and of its clients, each on a core. `load`: what its clients do in a turn. */
export const serverSide = (
  { args, name, program }: Server,
  sync: number,
  load: Pick<Load, "connections" | "mix" | "rate">
): Side<RunningServer> => ({
  name,
  open: async (context) => {
    const shop = await shopIn(context)
    const file = join(context.folder, `${Math.random().toString(36).slice(2)}.db`)
    copyFileSync(shop.file, file)
    const child = fork(program, args(file), {
      ...onCore(serverCore, "--import", usage),
      env: { ...process.env, NODE_OPTIONS: "", ...context.syncDelay.environment(sync) },
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    })
    const port = Number((await listeningAt(child, name)).port)
    child.stderr?.resume()
    const clients = fork(clientProgram, [], { ...onCore(clientCore), env: { ...process.env, NODE_OPTIONS: "" } })
    const run = async (more: Partial<Load>): Promise<LoadResult> => {
      const all = { ...load, port, keys: [shop.key], pets, ...more }
      const { error, result } = await replyOf<{ error?: string; result?: LoadResult }>(clients, name, all)
      if (result === undefined) throw new Error(error)
      return result
    }
    return {
      name,
      port,
      file,
      run,
      turn: async (seconds) => {
        const before = await replyOf<Usage>(child, name, {})
        const { p50, p99, responses, seconds: took } = await run({ seconds })
        const after = await replyOf<Usage>(child, name, {})
        const cpu = (after.cpu - before.cpu) / responses
        return { rate: responses / took, cpu, p50, p99, memory: after.rss / 2 ** 20 }
      },
      // One connection would take 20 s until V8 has compiled what an order runs.
      warmUp: (seconds) => run({ seconds, connections: Math.max(64, load.connections), rate: undefined }),
      close: async () => {
        clients.kill("SIGKILL")
        const ended = new Promise((resolve) => child.once("exit", resolve))
        child.kill("SIGKILL")
        await ended
      }
    }
  }
})
