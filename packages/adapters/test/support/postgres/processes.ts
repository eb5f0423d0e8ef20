import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The state and the parent of a process, as Linux has them. */
const statOf = (pid: number): readonly [state: string, parent: number] | undefined => {
  try {
    // The name of the program, in brackets, may contain anything; the state and the parent come after it.
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const [state = "", parent] = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return [state, Number(parent)]
  } catch {
    return undefined
  }
}

/** Whether a process runs; one that ended runs no more, even if nobody has read its exit code yet. */
export const isRunning = (pid: number): boolean => {
  if (process.platform === "linux") return !["Z", "X", undefined].includes(statOf(pid)?.[0])
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The processes that a process started and that still run. */
const childrenOf = (parent: number): ReadonlyArray<number> => {
  if (process.platform === "linux") {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && statOf(pid)?.[1] === parent)
  }
  if (process.platform === "win32") return []
  return execFileSync("ps", ["-axo", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, of]) => (pid !== undefined && of === parent ? [pid] : []))
}

/** Sends a signal to a process that may have ended already. */
const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** What a running server writes about itself; undefined if none runs on this folder, or is about to. */
export const readPidFile = (
  folder: string
): { readonly pid: number; readonly state: string | undefined } | undefined => {
  try {
    const lines = readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n")
    return { pid: Number(lines[0]), state: lines[7]?.trim() }
  } catch {
    return undefined
  }
}

/** Kills a server and all its processes at once, as a machine that loses its power; returns their ids. */
export const killServer = (folder: string): ReadonlyArray<number> => {
  const pid = readPidFile(folder)?.pid
  if (pid === undefined) return []
  // A server that is stopped starts no process while its children are counted.
  try {
    process.kill(pid, "SIGSTOP")
  } catch {
    return []
  }
  const children = childrenOf(pid)
  for (const one of [pid, ...children]) send(one, "SIGKILL")
  return [pid, ...children]
}

/** Stops all processes of a server where they are, or lets them go on: a machine that hangs, with its connections open. */
export const signalServer = (folder: string, signal: "SIGSTOP" | "SIGCONT"): void => {
  const pid = readPidFile(folder)?.pid
  if (pid === undefined) return
  for (const one of [pid, ...childrenOf(pid)]) send(one, signal)
}

/** Milliseconds in which a server that is told to stop at once does so. */
const patience = 5_000
const pause = new Int32Array(new SharedArrayBuffer(4))

/** Stops a server at once, so that it frees what it shares with the system; kills it if it does not obey. Blocks meanwhile. */
export const stopServer = (folder: string): void => {
  const pid = readPidFile(folder)?.pid
  if (pid === undefined || !isRunning(pid)) return
  process.kill(pid, "SIGQUIT")
  const deadline = Date.now() + patience
  while (isRunning(pid) && Date.now() < deadline) Atomics.wait(pause, 0, 0, 10)
  if (isRunning(pid)) killServer(folder)
}
