import { spawnSync } from "node:child_process"
import process from "node:process"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("./failingCalls.c", import.meta.url))

/** Why the library cannot be made on this machine; undefined if it can. */
export const libraryProblem = (): string | undefined => {
  if (process.platform !== "linux") return "only on Linux"
  return spawnSync("gcc", ["--version"]).status === 0 ? undefined : "needs gcc"
}

/** Compiles the library that makes calls fail. Throws if that is not possible. */
export const compileLibrary = (path: string): void => {
  const { status, stderr } = spawnSync("gcc", [
    "-O2",
    "-Wall",
    "-Werror",
    "-shared",
    "-fPIC",
    "-o",
    path,
    source,
    "-ldl"
  ])
  if (status !== 0) throw new Error(`gcc cannot compile ${source}: ${stderr}`)
}
