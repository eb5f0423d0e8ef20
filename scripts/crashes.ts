// Kills processes that write to a SQLite file, loses the power of their machine at any moment, and checks that the file has all that
// was acknowledged: npm run test:crashes [-- --kills 2000 --losses 1000 --seed 1]. Exits with 1 if it does not.
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { bundledPath, bundlePrograms } from "../packages/adapters/test/support/bundlePrograms.ts"
import { crash } from "../packages/adapters/test/support/crashes/crashes.ts"
import { memoryFolder } from "../packages/adapters/test/support/memoryFolder.ts"
import { compileLibrary, libraryProblem } from "../packages/adapters/test/support/preloadedLibraries.ts"

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "2000" },
    losses: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" }
  }
})
const [kills = 0, losses = 0, seed = 0] = [values.kills, values.losses, values.seed].map(Number)
if (![kills, losses + 1, seed + 1].every((number) => Number.isSafeInteger(number) && number > 0)) {
  console.error("Usage: npm run test:crashes -- [--kills NUMBER] [--losses NUMBER] [--seed NUMBER]")
  process.exit(2)
}
const problem = libraryProblem()
if (problem !== undefined) {
  console.error(`Cannot record what is written: ${problem}.`)
  process.exit(2)
}

/** How many processes write to a file. */
const killsOfFile = 10

const program = fileURLToPath(new URL("../packages/adapters/test/programs/write-pets.ts", import.meta.url))
const bundle = await bundlePrograms([program])
const folder = mkdtempSync(join(tmpdir(), "petstore-crashes-"))
const library = join(folder, "recordedWrites.so")
const start = performance.now()
const done = { kills: 0, losses: 0, problems: 0 }
const rounds = Array.from({ length: Math.ceil(kills / killsOfFile) }, (_, file) => {
  const from = file * killsOfFile
  const to = Math.min(kills, from + killsOfFile)
  const lossesUpTo = (kill: number) => Math.round((losses * kill) / kills)
  return { kills: to - from, losses: lossesUpTo(to) - lossesUpTo(from), seed: seed + file }
}).values()
/** Takes the next round until there is none. */
const runRounds = async (): Promise<void> => {
  for (const round of rounds) {
    const problems = await crash({
      ...round,
      library,
      parent: memoryFolder(),
      commandOf: (...args) => [
        process.execPath,
        "--disable-warning=ExperimentalWarning",
        bundledPath(bundle, program),
        ...args
      ]
    })
    done.kills += round.kills
    done.losses += round.losses
    done.problems += problems.length
    for (const text of problems) console.log(text)
    const seconds = Math.round((performance.now() - start) / 1000)
    console.log(
      `${done.kills} kills and ${done.losses} power losses in ${seconds} seconds, ${done.problems} problems, seed ${round.seed}`
    )
  }
}
try {
  compileLibrary("recordedWrites", library)
  process.env.NODE_COMPILE_CACHE = join(folder, "compiled")
  await Promise.all(Array.from({ length: availableParallelism() }, runRounds))
} finally {
  rmSync(folder, { recursive: true, force: true })
  rmSync(bundle, { recursive: true, force: true })
}
process.exitCode = done.problems === 0 ? 0 : 1
