import type { ChildProcess } from "node:child_process"

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
