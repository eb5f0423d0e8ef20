import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { clientCore, onCore } from "../machine/cores.ts"
import type { Load, LoadResult } from "./Load.ts"

/** The process of clients, on a core of its own. */
export class Clients {
  private readonly child = fork(fileURLToPath(new URL("client.ts", import.meta.url)), [], {
    ...onCore(clientCore),
    env: { ...process.env, NODE_OPTIONS: "" }
  })

  run(load: Load): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      this.child.once("message", (message) => {
        const { error, result } = message as { readonly error?: string; readonly result?: LoadResult }
        if (result === undefined) reject(new Error(error))
        else resolve(result)
      })
      this.child.send(load)
    })
  }

  stop(): void {
    this.child.kill("SIGKILL")
  }
}
