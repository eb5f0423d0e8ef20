import { spawnSync } from "node:child_process"
import { mkdtempDisposableSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { bundledPath, bundlePrograms } from "../packages/adapters/test/support/bundlePrograms.ts"
import { UsageError } from "./arguments.ts"

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

/** A program of the tests of adapters, and the library that it is to be started with. */
export interface Preloaded {
  readonly command: readonly [string, ...Array<string>]
  /** The path of the compiled library. */
  readonly library: string
  /** Where they are. */
  readonly folder: string
}

/** Makes a library and a program, which are removed after use. */
export const withLibrary = async (
  name: keyof typeof sources,
  program: string,
  use: (preloaded: Preloaded) => Promise<void>
): Promise<void> => {
  const problem = libraryProblem()
  if (problem !== undefined) throw new UsageError(`Cannot stand between a program and its system calls: ${problem}.`)
  const source = fileURLToPath(new URL(`../packages/adapters/test/programs/${program}.ts`, import.meta.url))
  const bundle = await bundlePrograms([source])
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-preloaded-"))
  try {
    const library = join(folder.path, `${name}.so`)
    compileLibrary(name, library)
    const command = [process.execPath, "--disable-warning=ExperimentalWarning", bundledPath(bundle, source)] as const
    await use({ command: [...command], library, folder: folder.path })
  } finally {
    rmSync(bundle, { recursive: true, force: true })
  }
}
