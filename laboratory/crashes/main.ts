import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundledPath, bundlePrograms } from "../../packages/adapters/test/support/bundlePrograms.ts"
import { memoryFolder } from "../../packages/adapters/test/support/memoryFolder.ts"
import { UsageError } from "../arguments.ts"
import type { Lab } from "../Lab.ts"
import { compileLibrary, libraryProblem } from "../preloadedLibraries.ts"
import { crash } from "./crashes.ts"

/** How many processes write to the file of a round and are killed, and how often its machine loses power. */
const round = { kills: 10, losses: 5 }

const program = fileURLToPath(new URL("../../packages/adapters/test/programs/write-pets.ts", import.meta.url))

/** Kills processes that write to a SQLite file, loses the power of their machine, and compares the file with what was acknowledged. */
export const ask = async (lab: Lab): Promise<void> => {
  const problem = libraryProblem()
  if (problem !== undefined) throw new UsageError(`Cannot record what is written: ${problem}.`)
  const bundle = await bundlePrograms([program])
  const folder = mkdtempSync(join(tmpdir(), "petstore-crashes-"))
  const library = join(folder, "recordedWrites.so")
  const commandOf = (...args: ReadonlyArray<string>): readonly [string, ...ReadonlyArray<string>] => [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    bundledPath(bundle, program),
    ...args
  ]
  try {
    compileLibrary("recordedWrites", library)
    process.env.NODE_COMPILE_CACHE = join(folder, "compiled")
    await lab.eachSeed((seed) => crash({ ...round, seed, library, parent: memoryFolder(), commandOf }), {
      atOnce: availableParallelism(),
      figures: () => `(${round.kills} kills and ${round.losses} losses of power each)`
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
    rmSync(bundle, { recursive: true, force: true })
  }
}
