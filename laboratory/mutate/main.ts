import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { root } from "../../packages/test/support/workspace.ts"
import { UsageError } from "../arguments.ts"
import type { Lab } from "../Lab.ts"
import { type Place, placesIn } from "./places.ts"

interface Mutant {
  /** In the repository. */
  readonly file: string
  readonly line: number
  readonly place: Place
}

/** Every fault of a source of the core. */
const allMutants = (): ReadonlyArray<Mutant> =>
  globSync("packages/core/src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] })
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8")
      return placesIn(file, text).map((place) => ({ file, line: text.slice(0, place.at).split("\n").length, place }))
    })

const nameOf = ({ file, line, place }: Mutant): string =>
  `${file}:${line} ${place.old.replace(/\s+/g, " ")} becomes ${place.new}`

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** What a program with this fault prints, and whether it succeeds. It is ended after five minutes. */
const run = async ({ file, place }: Mutant, args: ReadonlyArray<string>) => {
  const env = { ...process.env, NO_COLOR: "1", MUTANT: JSON.stringify({ file: `/${file}`, place }) }
  const options = { cwd: root, env, timeout: 300_000, maxBuffer: 2 ** 26 }
  return promisify(execFile)(process.execPath, args, options).then(
    () => ({ failed: false, output: "" }),
    ({ stderr, stdout }) => ({ failed: true, output: `${stdout}\n${stderr}` })
  )
}

/** The case of a contract that sees a fault. */
const seenByContracts = async (mutant: Mutant): Promise<string | undefined> => {
  const { failed, output } = await run(mutant, [...process.execArgv, "--import", here("hook.ts"), here("contracts.ts")])
  return failed ? (output.trim().split("\n")[0] ?? "the program of the contracts") : undefined
}

/** The unit test of its subject that sees a fault. */
const seenByTests = async (mutant: Mutant): Promise<string | undefined> => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  // Such as packages/core/src/orders/.
  const subject = mutant.file.split("/").slice(0, 4).join("/")
  const args = [vitest, "run", "--config", here("vitest.config.ts"), "--passWithNoTests", subject]
  const { failed, output } = await run(mutant, args)
  return failed ? (/^ *FAIL +(.*)$/m.exec(output)?.[1] ?? "a file of tests") : undefined
}

/**
 * Puts a random fault into the core for each seed, runs the contracts in memory on it, and the unit tests of its subject if these do not see it.
 * A fault that nobody sees changes nothing, or is the lack of a test. Fails if more are seen by nobody than `most` percent.
 */
export const ask = async (
  lab: Lab<{ readonly in: string | undefined; readonly most: number | undefined }>
): Promise<void> => {
  const { in: part = "", most = 40 } = lab.flags
  const mutants = allMutants().filter(({ file }) => file.includes(part))
  if (mutants.length === 0) throw new UsageError(`No source of the core has ${JSON.stringify(part)} in its path`)
  const counts = { contracts: 0, tests: 0, nobody: 0 }
  await lab.eachSeed(
    async (seed) => {
      // A multiplication by a prime spreads the seeds over all places.
      const mutant = mutants[(seed * 7_919) % mutants.length]
      if (mutant === undefined) return []
      const byContracts = await seenByContracts(mutant)
      const byTests = byContracts === undefined ? await seenByTests(mutant) : undefined
      counts[byContracts !== undefined ? "contracts" : byTests !== undefined ? "tests" : "nobody"]++
      lab.log(`seed ${seed}: ${nameOf(mutant)}\n  ${byContracts ?? byTests ?? "NOBODY SEES IT"}`)
      return []
    },
    { atOnce: 2, figures: () => `of ${mutants.length} places; seen by ${JSON.stringify(counts)}` }
  )
  const share = (100 * counts.nobody) / (counts.contracts + counts.tests + counts.nobody)
  if (share > most) lab.found(`Nobody sees ${Math.round(share)} % of the faults`)
}
