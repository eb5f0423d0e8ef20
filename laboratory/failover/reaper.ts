// Outlives its parent: when the parent ends, however it does, kills every process in a folder and removes the folder.
// Argument: the folder. Its standard input ends with the parent.
import { rmSync } from "node:fs"
import { killIn } from "./processesIn.ts"

const [folder = ""] = process.argv.slice(2)
if (folder === "") throw new Error("Pass a folder")
process.stdin.resume().once("end", async () => {
  await killIn(folder)
  rmSync(folder, { recursive: true, force: true })
})
// What ends the parent must not end it first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
