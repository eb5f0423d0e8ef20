import { spawn } from "node:child_process"
import type { Context, Sample } from "../Comparison.ts"
import { onCore, serverCore } from "../machine/processes.ts"

const atExit = new URL("atExit.ts", import.meta.url).href

/** Runs a program of Node.js to its end: how long it took, and the most memory that it held. */
export const runOnce = (args: ReadonlyArray<string>, { syncDelay }: Context): Promise<Sample> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const { execArgv, execPath } = onCore(serverCore, "--import", atExit)
    const child = spawn(execPath, [...execArgv, ...args], {
      env: { ...process.env, NODE_OPTIONS: "", ...syncDelay.environment(0.1) },
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    })
    let [said, memory] = ["", 0]
    child.stderr?.on("data", (text) => (said += text))
    child.on("message", (held) => (memory = Math.max(memory, Number(held))))
    child.once("error", reject)
    child.once("close", (code) => {
      if (code === 0) resolve({ time: performance.now() - begun, memory })
      else reject(new Error(`${args.join(" ")} ended with ${code}: ${said.slice(-500)}`))
    })
  })
