/**
 * Stops PostgreSQL servers and removes their folders when the process that started this one is gone, however it ended.
 * It reads lines: `+` and a folder to watch it, `-` and a folder to forget it. The end of the input is the end of its parent.
 */
import { rmSync } from "node:fs"
import { createInterface } from "node:readline"
import { stopServer } from "../support/postgres/processes.ts"

const folders = new Set<string>()
const lines = createInterface(process.stdin)
lines.on("line", (line) => {
  if (line.startsWith("+")) folders.add(line.slice(1))
  else folders.delete(line.slice(1))
})
lines.on("close", () => {
  for (const folder of folders) {
    stopServer(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
})
