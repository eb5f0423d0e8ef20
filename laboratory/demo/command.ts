import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { until } from "./limit.ts"

const bin = fileURLToPath(new URL("../../packages/http/bin/petstore.js", import.meta.url))

const start = (args: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, [bin, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    signal: until,
    killSignal: "SIGKILL"
  }).on("error", () => {
    // It ends then, which is what is waited for.
  })

const collect = (stream: NodeJS.ReadableStream | null): (() => string) => {
  let text = ""
  stream?.setEncoding("utf8")
  stream?.on("data", (part) => {
    text += part
  })
  return () => text
}

/** Runs `petstore`, which must succeed, and returns its standard output. */
export const petstore = async (...args: ReadonlyArray<string>): Promise<string> => {
  const child = start(args)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`petstore ${args.join(" ")} ended with ${code}\n${stdout()}${stderr()}`)
  return stdout()
}

/** A running server. */
export interface Server {
  /** With the base path. */
  readonly url: string
  /** Sends a signal, and returns the exit code; null if the signal ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts `petstore serve`, and waits until it listens. */
export const serve = async (...args: ReadonlyArray<string>): Promise<Server> => {
  const child = start(["serve", ...args])
  const stderr = collect(child.stderr)
  collect(child.stdout)
  const closed = once(child, "close")
  process.once("exit", () => child.kill("SIGKILL"))
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", () => {
      const found = /petstore is listening on (http:[^\s"]+)/.exec(stderr())?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once("close", () => reject(new Error(`The server ended at its start: ${stderr()}`)))
  })
  return {
    url,
    end: async (signal) => {
      child.kill(signal)
      const [code] = await closed
      return code
    }
  }
}
