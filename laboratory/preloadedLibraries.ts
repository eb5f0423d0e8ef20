import { spawnSync } from "node:child_process"
import process from "node:process"
import { fileURLToPath } from "node:url"

const sources = {
  failingCalls: new URL("./faults/calls/failingCalls.c", import.meta.url),
  recordedWrites: new URL("./crashes/recordedWrites.c", import.meta.url)
}

/** Why libraries cannot be made on this machine; undefined if they can. */
export const libraryProblem = (): string | undefined => {
  if (process.platform !== "linux") return "only on Linux"
  return spawnSync("gcc", ["--version"]).status === 0 ? undefined : "needs gcc"
}

/** Compiles a library that stands between a program and the C library. Throws if that is not possible. */
export const compileLibrary = (name: keyof typeof sources, path: string): void => {
  const source = fileURLToPath(sources[name])
  const { status, stderr } = spawnSync("gcc", [
    "-O2",
    "-Wall",
    "-Werror",
    "-shared",
    "-fPIC",
    "-o",
    path,
    source,
    "-ldl",
    "-lpthread"
  ])
  if (status !== 0) throw new Error(`gcc cannot compile ${source}: ${stderr}`)
}
