import { spawn } from "node:child_process"
import { isPinned, serverCore } from "./cores.ts"

/** Keeps the core of servers busy, until its parent ends. */
const busyProgram = "const parent = process.ppid; while (process.ppid === parent);"

/** Leaves servers half of their core, as a small virtual machine or a limit of a container does. Returns what ends that. */
export const throttleServers = (): (() => void) => {
  if (!isPinned) throw new Error("--throttled needs two cores and taskset")
  const busy = spawn("taskset", ["-c", String(serverCore), process.execPath, "-e", busyProgram], { stdio: "ignore" })
  return () => busy.kill("SIGKILL")
}
