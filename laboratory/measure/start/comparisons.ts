import { execFileSync, spawn } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { listeningAt } from "../../load/listeningAt.ts"
import type { Comparison, Context, Sample, Side } from "../Comparison.ts"
import { peers, petstore, type Server, shopIn } from "../http/ServerProcess.ts"
import { onCore, serverCore } from "../machine/processes.ts"

/** Milliseconds without a request before the memory of a server is read. */
const idle = 1_000

/** Megabytes of resident memory, as Linux shows it. */
const residentOf = (pid: number): number => {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Number(found) / 1_024
}

/** Starts a program that serves HTTP and prints where it listens, waits for its first response, and stops it. */
const startOnce = async (args: ReadonlyArray<string>): Promise<Sample> => {
  const { execArgv, execPath } = onCore(serverCore)
  const begun = performance.now()
  const child = spawn(execPath, [...execArgv, ...args], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  try {
    const { origin } = await listeningAt(child, args.join(" "))
    const response = await fetch(origin, { headers: { connection: "close" } })
    await response.text()
    if (response.status >= 500) throw new Error(`${args.join(" ")} responds with ${response.status}`)
    const time = performance.now() - begun
    await pause(idle)
    return { time, memory: residentOf(child.pid ?? 0) }
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}

const sizes = fileURLToPath(new URL("sizes.ts", import.meta.url))

/** The program of a peer in JavaScript, with what it imports, so that no types are stripped and no packages are searched at its start. */
const bundled = async (program: string, folder: string): Promise<string> => {
  await build({
    entryPoints: [program],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module"; const require = nodeRequire(import.meta.url);'
    }
  })
  return join(folder, "main.mjs")
}

/** From the start of a server to its first response, and its memory a second later. */
const starting = (
  { args, name, program }: Server,
  prepare = async (path: string, _: string): Promise<string> => path
): Side => ({
  name,
  open: async (context: Context) => {
    const shop = await shopIn(context)
    const file = join(context.folder, `${name}-start.db`)
    copyFileSync(shop.file, file)
    const path = await prepare(program, join(context.folder, "bundle"))
    return { turn: () => startOnce([path, ...args(file)]), close: async () => {} }
  }
})

/** The bytes of rows, which depend on nothing but the program. */
const sized = (does: string, isInMemory: boolean): Comparison => ({
  does,
  sides: [
    {
      name: "ours",
      open: async ({ folder }) => ({
        turn: async () => {
          const args = isInMemory ? ["100000"] : ["20000", join(mkdtempSync(join(folder, "sizes-")), "pets.db")]
          return JSON.parse(execFileSync(process.execPath, ["--expose-gc", sizes, ...args], { encoding: "utf8" }))
        },
        close: async () => {}
      })
    }
  ],
  figures: isInMemory ? ["pet", "order"] : ["pet", "order", "completion", "events"],
  warmUp: 0,
  rounds: 1
})

export const startComparisons: ReadonlyArray<Comparison> = [
  {
    does: "start to first response",
    sides: [starting(petstore), starting(peers.fastify, bundled)],
    figures: ["time", "memory"],
    why: "modules"
  },
  sized("SQLite: pet, order, completion, their events", false),
  sized("memory: pet, order", true)
]
