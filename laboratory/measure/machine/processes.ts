import { type ChildProcess, spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"

const canPin =
  availableParallelism() >= 2 && spawnSync("taskset", ["-c", "0", "true"], { stdio: "ignore" }).status === 0

/** Whether a process can be kept on one core: server and clients then never take time from each other. */
export const isPinned = canPin

/** How `fork` starts Node.js so that it stays on one core. */
export const onCore = (core: number, ...flags: ReadonlyArray<string>) =>
  canPin
    ? { execPath: "taskset", execArgv: ["-c", String(core), process.execPath, ...flags] }
    : { execPath: process.execPath, execArgv: [...flags] }

export const serverCore = 1
export const clientCore = 0

/** The next message of a process that was forked. Rejects if the process ends before it. */
export const nextMessage = (child: ChildProcess, name: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const end = (code: number | null): void => reject(new Error(`${name} ended with ${code}`))
    child.once("exit", end)
    child.once("message", (message) => {
      child.off("exit", end)
      resolve(message)
    })
  })

/** Sends a message to a process, and returns its reply. */
export const replyOf = async <A>(child: ChildProcess, name: string, message: object | number | string): Promise<A> => {
  const reply = nextMessage(child, name)
  child.send(message)
  return (await reply) as A
}
