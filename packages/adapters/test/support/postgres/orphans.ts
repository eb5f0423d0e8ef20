import { type ChildProcess, spawn } from "node:child_process"
import { sourceCommandOf } from "../program.ts"

let watcher: ChildProcess | undefined

const write = (line: string): void => {
  if (watcher === undefined) {
    const [command, ...args] = sourceCommandOf("stop-servers")
    // Detached, so that what interrupts the tests does not end it.
    watcher = spawn(command, args, { stdio: ["pipe", "ignore", "inherit"], detached: true })
    watcher.unref()
    const { stdin } = watcher
    if (stdin !== null && "unref" in stdin && typeof stdin.unref === "function") stdin.unref()
  }
  watcher.stdin?.write(`${line}\n`)
}

/** From now on the server of a folder is stopped and the folder removed when this process ends, even when it is killed. */
export const stopWithThisProcess = (folder: string): void => write(`+${folder}`)

/** The folder is removed already. */
export const forgetServer = (folder: string): void => write(`-${folder}`)
