import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { onCore, serverCore } from "../machine/cores.ts"

/** What a program took from its start to its first response, and what it holds then. */
export interface Start {
  /** In milliseconds. */
  readonly wall: number
  /** Milliseconds of processor time; undefined where the system does not show it. */
  readonly processor: number | undefined
  /** Megabytes of resident memory after some seconds without a request, if that was asked for. */
  readonly idle: number | undefined
}

/** Ticks of the processor time that Linux shows, a second. */
const ticksPerSecond = 100

const processorOf = (pid: number): number | undefined => {
  if (process.platform !== "linux") return undefined
  const text = readFileSync(`/proc/${pid}/stat`, "utf8")
  const [user = 0, system = 0] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number)
  return ((user + system) * 1_000) / ticksPerSecond
}

const residentOf = (pid: number): number | undefined => {
  if (process.platform !== "linux") return undefined
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return found === undefined ? undefined : Number(found) / 1_000
}

/** Starts a program that serves HTTP and prints where it listens, waits for its first response, and stops it. */
export const startOnce = async (
  args: ReadonlyArray<string>,
  { idleSeconds = 0, path = "/" }: { readonly idleSeconds?: number; readonly path?: string } = {}
): Promise<Start> => {
  const { execArgv, execPath } = onCore(serverCore)
  const begun = performance.now()
  const child = spawn(execPath, [...execArgv, ...args], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = ""
      child.stderr.on("data", (text) => {
        said += text
        const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
      child.once("error", reject)
      void ended.then(() => reject(new Error(`${args.join(" ")} ended: ${said}`)))
    })
    const response = await fetch(url + path, { headers: { connection: "close" } })
    await response.text()
    if (response.status >= 500) throw new Error(`${args.join(" ")} responds with ${response.status}`)
    const wall = performance.now() - begun
    const pid = child.pid ?? 0
    const processor = processorOf(pid)
    await pause(idleSeconds * 1_000)
    return { wall, processor, idle: idleSeconds === 0 ? undefined : residentOf(pid) }
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}
