import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Request } from "./member.ts"

/** A process with a petstore of its own on a database. */
export const startMember = async (url: string): Promise<ChildProcess> => {
  const child = fork(fileURLToPath(new URL("member.ts", import.meta.url)), [], {
    env: { ...process.env, BENCH_DATABASE: url }
  })
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`A process ended with ${code}`)
  })
  // After the start its end is expected.
  ended.catch(() => {})
  await Promise.race([once(child, "message"), ended])
  return child
}

export const request = async (child: ChildProcess, message: Request): Promise<unknown> => {
  const response = once(child, "message")
  child.send(message)
  return (await response)[0]
}

export const stopMember = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, "exit")
  child.disconnect()
  await ended
}
