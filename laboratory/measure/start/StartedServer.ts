import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import type { Sample } from "../Comparison.ts"
import { portOf } from "../http/ServerProcess.ts"
import { onCore, serverCore } from "../machine/cores.ts"

/** Milliseconds without a request before the memory of a server is read. */
const idle = 1_000

/** Megabytes of resident memory, as Linux shows it. */
const residentOf = (pid: number): number => {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Number(found) / 1_024
}

/** Starts a program that serves HTTP and prints where it listens, waits for its first response, and stops it. */
export const startOnce = async (args: ReadonlyArray<string>): Promise<Sample> => {
  const { execArgv, execPath } = onCore(serverCore)
  const begun = performance.now()
  const child = spawn(execPath, [...execArgv, ...args], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  try {
    const port = await portOf(child, args.join(" "))
    const response = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: "close" } })
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
