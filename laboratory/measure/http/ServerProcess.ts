import { type ChildProcess, fork } from "node:child_process"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onCore, serverCore } from "../machine/cores.ts"
import type { ShopFile } from "./Shop.ts"

const usage = new URL("usage.ts", import.meta.url).href
const peerProgram = fileURLToPath(new URL("../peers/main.ts", import.meta.url))
const workspace = fileURLToPath(new URL("../../../", import.meta.url))
const pathIn = (root: string): string => join(root, "packages/http/bin/petstore.js")

/** A program that serves a shop. */
export interface Contender {
  readonly name: string
  readonly program: string
  readonly args: (file: string) => ReadonlyArray<string>
}

/** `petstore serve` of a checkout of this project that is built, with the rate limit on. */
export const petstore = (root = workspace, name = "ours"): Contender => ({
  name,
  program: pathIn(root),
  args: (file) => ["serve", "--port", "0", "--storage", `sqlite:${file}`, "--rate-limit", "1000000000"]
})

const peer = (name: string, kind: string, driver: string, keys = "read"): Contender => ({
  name,
  program: peerProgram,
  args: (file) => [kind, driver, keys, file]
})

export const peers = {
  fastify: peer("Fastify", "fastify", "node:sqlite"),
  fastifyBetter: peer("Fastify, better-sqlite3", "fastify", "better-sqlite3"),
  express: peer("Express", "express", "node:sqlite"),
  bareNode: peer("node:http", "node", "node:sqlite"),
  bareNodeBetter: peer("node:http, better-sqlite3", "node", "better-sqlite3"),
  expert: peer("node:http, group commit", "expert", "node:sqlite"),
  expertWithKeys: peer("node:http, group commit, kept keys", "expert", "node:sqlite", "keep")
}

/** What a process has used since it started. */
export interface Usage {
  /** Microseconds of processor time. */
  readonly cpu: number
  /** Bytes of resident memory. */
  readonly rss: number
}

export interface ServerProcess {
  readonly name: string
  readonly port: number
  /** The database that it serves. */
  readonly file: string
  readonly usage: () => Promise<Usage>
  readonly stop: () => Promise<void>
}

const portOf = (child: ChildProcess, name: string): Promise<number> =>
  new Promise((resolve, reject) => {
    let said = ""
    child.stderr?.on("data", (text) => {
      said += text
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    child.once("exit", () => reject(new Error(`${name} ended: ${said}`)))
    child.once("error", reject)
  })

/** Starts a contender on a copy of the shop, on the core of servers. */
export const startServer = async (
  { args, name, program }: Contender,
  shop: ShopFile,
  folder: string,
  env: Record<string, string>
): Promise<ServerProcess> => {
  const file = join(folder, `${name.replaceAll(/\W/g, "-")}-${Math.random().toString(36).slice(2)}.db`)
  copyFileSync(shop.file, file)
  const child = fork(program, args(file), {
    ...onCore(serverCore, "--import", usage),
    env: { ...process.env, NODE_OPTIONS: "", ...env },
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })
  const port = await portOf(child, name)
  child.stderr?.resume()
  return {
    name,
    port,
    file,
    usage: () =>
      new Promise((resolve) => {
        child.once("message", (used) => resolve(used as Usage))
        child.send("usage")
      }),
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await ended
    }
  }
}
